//! Reads one query per line, in hex, and writes its pairs, in hex, as the crate `form_urlencoded` reads them.

use std::io::{self, BufRead, Write};

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{:02x}", octet)).collect()
}

fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
        .collect()
}

fn main() {
    let mut out = io::BufWriter::new(io::stdout());
    for line in io::stdin().lock().lines() {
        for (name, value) in form_urlencoded::parse(&unhex(&line.unwrap())) {
            write!(out, "{}:{} ", hex(name.as_bytes()), hex(value.as_bytes())).unwrap();
        }
        writeln!(out).unwrap();
    }
}
