//! Time of the engine's pieces, one by one: `cargo bench -p okf-core --bench micro [-- NAME]`.

mod workloads;

use criterion::{Criterion, criterion_group, criterion_main};

fn pieces(criterion: &mut Criterion) {
    for (name, prepare) in workloads::WORKLOADS {
        let mut work = prepare();
        criterion.bench_function(name, |bencher| bencher.iter(&mut work));
    }
}

criterion_group!(benches, pieces);
criterion_main!(benches);
