# The program in an image without a shell, for a user without rights.
#
#   docker build --build-arg VERSION=v0.1.0 -t unfold .
#   docker run --rm -v "$PWD":/data -w /data unfold fit data.parquet -o data.unfold

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=""
ARG TARGETOS=linux
ARG TARGETARCH=amd64
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH GOWORK=off \
    go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$VERSION" -o /out/unfold ./cmd/unfold \
    && mkdir -m 0700 /out/state

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/unfold /usr/bin/unfold
# A new volume that is mounted here belongs to the user, too.
COPY --from=build --chown=65532:65532 /out/state /var/lib/unfold
COPY LICENSE NOTICE THIRD_PARTY.txt /usr/share/doc/unfold/
USER 65532:65532
# Pages for an operator, where the configuration opens them: http: 0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["/usr/bin/unfold"]
CMD ["--help"]
