package signal

import "testing"

func BenchmarkAppendJSON(b *testing.B) {
	body, trailer := sampleBody(), sampleTrailer()
	dst := make([]byte, 0, JSONBytesMax)
	b.ReportAllocs()
	for b.Loop() {
		AppendJSON(dst, &body, &trailer)
	}
}

func BenchmarkAppendBinary(b *testing.B) {
	body, trailer := sampleBody(), sampleTrailer()
	dst := make([]byte, 0, BinaryBytesMax)
	b.ReportAllocs()
	for b.Loop() {
		AppendBinaryTrailer(AppendBinary(dst, &body), &trailer)
	}
}

func BenchmarkOutputHash(b *testing.B) {
	body, h := sampleBody(), NewOutputHash()
	b.ReportAllocs()
	for b.Loop() {
		h.Add(&body)
	}
}

func BenchmarkDecodeBinary(b *testing.B) {
	body, trailer := sampleBody(), sampleTrailer()
	payload := encodeBinary(&body, &trailer)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := DecodeBinary(payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeJSON(b *testing.B) {
	body, trailer := sampleBody(), sampleTrailer()
	payload := AppendJSON(nil, &body, &trailer)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := DecodeJSON(payload); err != nil {
			b.Fatal(err)
		}
	}
}
