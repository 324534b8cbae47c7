"""The alphabet of URLs: octets, percent-encoding, sets of characters, and text decoded once."""
