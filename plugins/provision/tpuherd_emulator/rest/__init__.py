"""The TPU API over REST: the same methods as over gRPC, for gcloud and for Google's REST client."""
