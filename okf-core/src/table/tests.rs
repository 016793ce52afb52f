use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

impl Item for (u32, u32) {
    type Key = u32;

    fn key(&self) -> &u32 {
        &self.0
    }
}

fn items(table: &Table<(u32, u32)>) -> Vec<(u32, u32)> {
    table.iter().copied().collect()
}

/// What every table holds to, and that it is the same as a map.
fn check(table: &Table<(u32, u32)>, model: &BTreeMap<u32, u32>) {
    assert_eq!(items(table), model.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>());
    assert_eq!((table.len(), table.iter().len()), (model.len(), model.len()));
    assert!(table.slices().all(|block| (1..=LARGEST).contains(&block.len())));
    assert_eq!(table.slices().map(<[_]>::len).sum::<usize>(), model.len());
}

#[test]
fn items_in_order_fill_their_blocks() {
    let table: Table<(u32, u32)> = (0..10_000).map(|n| (n, n)).collect();
    assert_eq!(table.slices().len(), 10_000_usize.div_ceil(FULL));
    assert_eq!(table.get(&9_999), Some(&(9_999, 9_999)));
    assert_eq!(table.get(&10_000), None);
    let from = |start: u32| table.iter_from(&|key| *key < start).map(|item| item.0);
    assert!(from(300).eq(300..10_000) && from(0).eq(0..10_000));
    assert_eq!(from(10_000).count(), 0);
}

#[test]
fn a_change_shares_all_blocks_but_one() {
    let before: Table<(u32, u32)> = (0..10_000).map(|n| (2 * n, n)).collect();
    let mut after = before.clone();
    assert_eq!((after.insert((4_001, 0)), after.remove(&4_004)), (None, Some((4_004, 2_002))));
    let shared = after.blocks.iter().filter(|block| before.blocks.iter().any(|other| Arc::ptr_eq(block, other)));
    assert_eq!(shared.count(), before.blocks.len() - 1);
    assert_eq!(before, (0..10_000).map(|n| (2 * n, n)).collect(), "the version before stays");
}

#[test]
fn a_table_that_empties_keeps_few_blocks() {
    let mut table: Table<(u32, u32)> = (0..10_000).map(|n| (n, n)).collect();
    for key in (0..10_000).filter(|key| key % 100 > 0) {
        assert_eq!(table.remove(&key), Some((key, key)));
    }
    assert!(table.slices().len() <= 2 + 100 / SMALLEST, "{}", table.slices().len());
    for key in (0..10_000).step_by(100) {
        table.remove(&key);
    }
    assert_eq!(table.remove(&1), None);
    assert_eq!((table.len(), table.slices().len()), (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_table_is_a_map(steps in proptest::collection::vec((any::<bool>(), 0..2_000_u32, any::<u32>()), 0..4_000)) {
        let (mut table, mut model) = (Table::default(), BTreeMap::new());
        let mut kept = Vec::new();
        for (at, (insert, key, value)) in steps.into_iter().enumerate() {
            // Runs of one kind, so that tables grow and shrink.
            if insert ^ (at / 500 % 2 == 0) {
                prop_assert_eq!(table.insert((key, value)), model.insert(key, value).map(|old| (key, old)));
            } else {
                prop_assert_eq!(table.remove(&key), model.remove(&key).map(|old| (key, old)));
            }
            prop_assert_eq!(table.get(&key).map(|item| item.1), model.get(&key).copied());
            if at % 997 == 0 {
                kept.push((table.clone(), model.clone()));
            }
        }
        kept.push((table, model));
        for (table, model) in &kept {
            check(table, model);
        }
    }
}
