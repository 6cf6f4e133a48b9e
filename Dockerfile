# One image for all services. The argument names a service or a command: docker run IMAGE identity
# Any image with Bun for glibc can build it, and any image with glibc can be its base. Without a base it has only the
# libraries that Bun links.
ARG BUN_IMAGE=docker.io/oven/bun:1.4.5-slim
ARG BASE_IMAGE=scratch

FROM ${BUN_IMAGE} AS build
ARG BASE_IMAGE
USER 0
WORKDIR /build
COPY . .
# Credentials of a package registry: --secret id=npmrc,src=.npmrc
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc ["bun", "scripts/lab/image/install.ts"]
RUN ["bun", "--no-install", "scripts/lab/image/assemble.ts", "/image"]

# A layer of its own, which changes only with the version of Bun.
FROM ${BASE_IMAGE} AS runtime
COPY --from=build /image/runtime/ /

FROM runtime
COPY --from=build /image/application/ /
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
WORKDIR /app
USER 65532:65532
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/bun", "--no-install", "/app/scripts/commands/marketplace/main.ts"]
