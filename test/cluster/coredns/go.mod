// Builds coredns for the end-to-end tests.
module eks-service-mirror/test/cluster/coredns

go 1.26.0

require github.com/coredns/coredns v1.15.0
