//! How bundles of different languages are introduced: the words a person reads in the served list.

use std::collections::HashSet;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Server, Tree, placeholders};

/// ID, type, title, description, tags.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const PAYMENTS: &[Row] = &[
    (
        "disputes/chargeback",
        "Process",
        "Chargeback handling",
        "How a cardholder's dispute is answered with evidence before the issuer's deadline.",
        "disputes, evidence",
    ),
    (
        "disputes/representment",
        "Process",
        "Representment",
        "Sending the issuer proof of delivery to win back a disputed amount.",
        "disputes",
    ),
    (
        "fraud/velocity-rules",
        "Rule",
        "Velocity rules",
        "Limits on how often a card may be tried per hour; blocks card testing.",
        "fraud, risk",
    ),
    (
        "fraud/3ds",
        "Rule",
        "When 3-D Secure is required",
        "Strong customer authentication for European cards above 30 euros.",
        "fraud, authentication",
    ),
    (
        "ledger/settlement",
        "Table",
        "settlement_batches",
        "One row per acquirer batch with gross amount, interchange and scheme fees.",
        "ledger, acquirer",
    ),
    (
        "ledger/payouts",
        "Table",
        "merchant_payouts",
        "Payouts to merchants by bank transfer, two days after settlement.",
        "ledger, merchants",
    ),
    (
        "metrics/approval-rate",
        "Metric",
        "Approval rate",
        "Authorised payments as a share of attempts, without card testing.",
        "kpi, acquirer",
    ),
    (
        "metrics/interchange",
        "Metric",
        "Interchange cost",
        "Fees paid to issuers per settled payment, see https://example.com/fees?id=7.",
        "kpi, fees",
    ),
    (
        "runbooks/acquirer-outage",
        "Runbook",
        "Acquirer outage",
        "Reroute authorisations to the fallback acquirer and tell merchants.",
        "incident, acquirer",
    ),
];

const STADTWERKE: &[Row] = &[
    (
        "tarife/grundversorgung",
        "Tarif",
        "Grundversorgung Strom",
        "Grundpreis und Arbeitspreis für Haushalte ohne Sondervertrag.",
        "strom, grundversorgung",
    ),
    (
        "tarife/waermepumpe",
        "Tarif",
        "Wärmepumpentarif",
        "Vergünstigter Strom für Wärmepumpen mit getrenntem Zähler.",
        "strom, wärmepumpe",
    ),
    (
        "netz/hausanschluss",
        "Verfahren",
        "Hausanschluss beantragen",
        "Vom Antrag über das Angebot bis zur Montage des Zählers.",
        "netz, hausanschluss",
    ),
    (
        "netz/einspeisung",
        "Verfahren",
        "Einspeisung aus Photovoltaik",
        "Anmeldung einer Solaranlage und Vergütung des eingespeisten Stroms.",
        "netz, photovoltaik",
    ),
    (
        "abrechnung/abschlag",
        "Regel",
        "Abschlag anpassen",
        "Wann der monatliche Abschlag nach dem Verbrauch neu berechnet wird.",
        "abrechnung",
    ),
    (
        "abrechnung/ablesung",
        "Verfahren",
        "Zählerablesung",
        "Ablesung durch Kunden, Schätzung bei fehlendem Zählerstand.",
        "abrechnung, zählerstand",
    ),
    (
        "abrechnung/mahnung",
        "Regel",
        "Mahnung und Sperre",
        "Fristen von der Mahnung bis zur Unterbrechung der Versorgung.",
        "abrechnung, mahnung",
    ),
    ("wasser/haerte", "Merkblatt", "Wasserhärte", "Härtegrade des Trinkwassers nach Versorgungsgebiet.", "trinkwasser"),
    (
        "wasser/rohrbruch",
        "Einsatzplan",
        "Rohrbruch",
        "Meldung, Absperrung und Ersatzversorgung bei einem Rohrbruch.",
        "trinkwasser, störung",
    ),
];

const JINJI: &[Row] = &[
    ("kintai/zangyo", "規程", "残業の申請", "時間外労働は前日までに上長の承認を得て申請する。", "勤怠, 残業"),
    ("kintai/yukyu", "規程", "有給休暇の付与", "入社から六か月後に十日の有給休暇を付与する。", "勤怠, 休暇"),
    (
        "kintai/remote",
        "規程",
        "リモートワーク",
        "在宅勤務は週三日まで、セキュリティ研修の受講が条件。",
        "勤怠, 在宅勤務",
    ),
    ("kyuyo/nencho", "手続き", "年末調整", "扶養控除の申告書と保険料控除の証明書を提出する。", "給与, 税金"),
    ("kyuyo/tsukin", "手続き", "通勤手当の変更", "転居のときは定期券の区間を届け出る。", "給与, 手当"),
    ("saiyo/mensetsu", "ガイド", "面接の進め方", "構造化面接の質問と評価シートの書き方。", "採用, 面接"),
    ("saiyo/naitei", "手続き", "内定通知", "内定通知書と雇用契約書を電子署名で送付する。", "採用, 契約"),
    ("hyoka/mbo", "ガイド", "目標管理シート", "半期の目標を設定し、フィードバック面談で見直す。", "評価, 目標"),
];

fn bundle(title: &str, rows: &[Row]) -> Tree {
    let tree = Tree::new(&[("index.md", &format!("---\nokf_version: \"0.2\"\n---\n\n# {title}\n"))]);
    for (id, kind, title, description, tags) in rows {
        let text = format!(
            "---\ntype: {kind}\ntitle: {title}\ndescription: \"{description}\"\ntags: [{tags}]\n---\n\nText.\n"
        );
        tree.write(&format!("{id}.md"), text);
    }
    tree
}

/// What the list and the instructions say about the bundle itself, for reading.
fn introduction(tree: &Tree) -> String {
    let mut server = Server::spawn(tree.root());
    let told = server.initialize("2025-11-25");
    let mut text = String::new();
    for tool in server.tools() {
        let description = tool["description"].as_str().expect("text");
        let clause = description.lines().last().expect("it has lines");
        text.push_str(&format!("{}\n  {clause}\n", tool["name"].as_str().expect("text")));
        text.push_str(&format!("  hint: {}\n", tool["_meta"]["anthropic/searchHint"].as_str().expect("text")));
        for (name, property) in tool["inputSchema"]["properties"].as_object().expect("an object") {
            if let Some((_, words)) = property["description"].as_str().expect("text").split_once("Subjects: ") {
                text.push_str(&format!("  {name}: {words}\n"));
            }
        }
    }
    let instructions = told["instructions"].as_str().expect("text");
    let about = instructions.lines().skip_while(|line| !line.starts_with("Areas")).collect::<Vec<_>>().join("\n");
    placeholders(&format!("{text}instructions\n{about}\n"), tree)
}

/// The words that tools carry, in order.
pub fn subjects(tools: &[Value]) -> Vec<String> {
    let mut words = Vec::new();
    for tool in tools {
        let properties = tool["inputSchema"]["properties"].as_object().expect("an object");
        let notes = properties.values().map(|property| &property["description"]);
        for text in std::iter::once(&tool["description"]).chain(notes) {
            if let Some((_, list)) = text.as_str().expect("text").split_once("Subjects: ") {
                words.extend(list.trim_end_matches('.').split(", ").map(str::to_owned));
            }
        }
    }
    words
}

/// Fails unless every word stands in the bundle as a whole, and only once in the list.
#[track_caller]
fn reads_well(tree: &Tree, rows: &[Row], spaced: bool) {
    let words = subjects(&Server::serve(tree.root()).tools());
    assert!(words.len() >= 20, "{words:?}");
    let source: String = rows
        .iter()
        .map(|(id, kind, title, description, tags)| format!(" {id} | {kind} | {title} | {description} | {tags} "))
        .collect();
    let mut seen = HashSet::new();
    for word in words {
        let at: Vec<usize> = source.match_indices(word.as_str()).map(|(at, _)| at).collect();
        assert!(!at.is_empty(), "`{word}` is nowhere in the bundle");
        let is_whole = |at: &usize| {
            let before = source[..*at].chars().next_back();
            let after = source[at + word.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        };
        assert!(!spaced || at.iter().any(is_whole), "`{word}` is a piece of a word");
        assert!(word.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.')), "{word}");
        assert!(!word.starts_with(char::is_numeric), "{word}");
        assert!(seen.insert(word.to_lowercase()), "`{word}` twice");
    }
}

#[test]
fn english() {
    let tree = bundle("Payments Handbook", PAYMENTS);
    reads_well(&tree, PAYMENTS, true);
    assert_snapshot!("introduction_english", introduction(&tree));
}

#[test]
fn german() {
    let tree = bundle("Stadtwerke Musterstadt", STADTWERKE);
    reads_well(&tree, STADTWERKE, true);
    assert_snapshot!("introduction_german", introduction(&tree));
}

#[test]
fn japanese() {
    let tree = bundle("人事ハンドブック", JINJI);
    reads_well(&tree, JINJI, false);
    assert_snapshot!("introduction_japanese", introduction(&tree));
}

#[test]
fn words_are_announced_when_they_change_and_only_then() {
    let tree = bundle("Payments Handbook", PAYMENTS);
    let mut server = Server::serve(tree.root());
    let before = server.tools();
    // A body that says the same under the same headings, a file that is no concept: no news.
    let text = std::fs::read_to_string(tree.path("fraud/3ds.md")).expect("it was written");
    tree.write("fraud/3ds.md", text.replace("Text.", "Another text.")).write("notes.txt", "volcanology");
    server.ask("search-concepts", serde_json::json!({"query": "another text"}));
    assert_eq!(server.tools(), before);
    tree.write("fraud/lava.md", "---\ntype: Rule\ntitle: Volcanology surcharge\ntags: [volcanology]\n---\n");
    server.ask("list-concepts", serde_json::json!({}));
    server.notification("notifications/tools/list_changed");
    assert!(subjects(&server.tools()).iter().any(|word| word.to_lowercase().contains("volcanology")));
    let strays = server.strays.clone();
    let rest = server.close().rest;
    let more = strays.iter().chain(&rest).filter(|message| message["method"] == "notifications/tools/list_changed");
    assert_eq!(more.count(), 0, "one change, one notice");
}
