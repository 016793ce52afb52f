//! Attested computations (spec §10): advisories for their type alone.

use super::check;

const GOOD: &str = "runtime: bigquery\nparameters:\n  - {name: year, type: integer, required: true}\n\
                    executor: {resource: run.md, receipt: [job_id]}\nattester: {resource: check.py}\n";
const FENCE: &str = "# Computation\n\n```sql\nSELECT 1\n```\n";

fn computation(frontmatter: &str, body: &str) -> super::Findings {
    check(&[("a.md", &format!("---\ntype: Attested Computation\n{frontmatter}---\n\n{body}"))])
}

#[test]
fn a_complete_one_is_silent() {
    computation(GOOD, FENCE).are(&[]);
    computation(GOOD, "# Computation\n\n    SELECT 1\n\nProse.\n").are(&[]);
    computation(&format!("{GOOD}computation: lib/x.sql\n"), "Prose.\n").are(&[]);
}

#[test]
fn every_finding_is_about_this_type_only() {
    let text = "---\ntype: Note\nparameters: x\nexecutor: 5\nattester: []\n---\n\nno fence\n";
    check(&[("a.md", text)]).are(&[]);
}

#[test]
fn missing_computation_runtime() {
    computation("", FENCE).are(&["a.md okf/missing-computation-runtime"]).conform();
    computation("runtime: \"\"\n", FENCE).are(&["a.md okf/missing-computation-runtime"]);
}

#[test]
fn missing_computation() {
    computation("runtime: bigquery\n", "no fence\n").are(&["a.md okf/missing-computation"]).conform();
    computation("runtime: bigquery\n", "# Other\n\n```sql\nSELECT 1\n```\n").are(&["a.md okf/missing-computation"]);
}

#[test]
fn ambiguous_computation() {
    let two = "# Computation\n\n```sql\nSELECT 1\n```\n\n```sql\nSELECT 2\n```\n";
    computation("runtime: bigquery\n", two).are(&["a.md okf/ambiguous-computation"]).conform();
    computation("runtime: bigquery\ncomputation: lib/x.sql\n", FENCE).are(&["a.md okf/ambiguous-computation"]);
    let elsewhere = "# Computation\n\n```sql\nSELECT 1\n```\n\n# Examples\n\n```sql\nSELECT 2\n```\n";
    computation("runtime: bigquery\n", elsewhere).are(&[]);
}

#[test]
fn invalid_computation_parameters() {
    computation("runtime: dbt\nparameters: year\n", FENCE)
        .are(&["a.md:4 okf/invalid-computation-parameters"])
        .conform();
    computation("runtime: dbt\nparameters:\n  - year\n", FENCE)
        .hold("a.md okf/invalid-computation-parameters")
        .conform();
    computation("runtime: dbt\nparameters: []\n", FENCE).are(&[]);
}

#[test]
fn invalid_executor_and_attester() {
    computation("runtime: dbt\nexecutor: run.md\n", FENCE).are(&["a.md:4 okf/invalid-executor"]).conform();
    computation("runtime: dbt\nexecutor: {receipt: [id]}\n", FENCE).are(&["a.md:4 okf/invalid-executor"]);
    computation("runtime: dbt\nattester: [check.py]\n", FENCE).are(&["a.md:4 okf/invalid-attester"]).conform();
    computation("runtime: dbt\nattester: {}\n", FENCE).are(&["a.md:4 okf/invalid-attester"]);
}
