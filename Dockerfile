# One image for all services. The argument names a service or a command: docker run IMAGE identity
# Build it in a checkout where ./scripts/client --served has run, so that it serves the packages of the clients.
ARG BUN_IMAGE=docker.io/oven/bun:1.4.5-slim
# Any image with glibc whose user 65532 can write to /tmp.
ARG BASE_IMAGE=gcr.io/distroless/cc-debian13:nonroot

FROM ${BUN_IMAGE} AS build
USER 0
WORKDIR /app
COPY . .
# Credentials of a package registry: --secret id=npmrc,src=.npmrc
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc ["bun", "scripts/toolchain/prepare.ts", "marketplace"]

FROM ${BASE_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="marketplace" \
      org.opencontainers.image.description="Sourcing and Manufacturing Marketplace: the argument names a service or a command" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
# With the default of 256, slow receivers of webhooks delay the others. The root file system is read-only, so Bun must not
# cache transpiled modules.
ENV NODE_ENV=production \
    BUN_CONFIG_MAX_HTTP_REQUESTS=4096 \
    BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
COPY --from=build /usr/local/bin/bun /usr/local/bin/bun
# `marketplace operator …` in a container, where no shell knows the words of the entry point.
COPY --chmod=755 scripts/commands/marketplace/marketplace /usr/local/bin/marketplace
COPY --from=build /app /app
WORKDIR /app
USER 65532:65532
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/bun", "--no-install", "/app/scripts/commands/marketplace/main.ts"]
