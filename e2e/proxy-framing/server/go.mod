module fleetshift.example/e2e/proxy-framing

go 1.26.0
