# The mrs command in an image: docker build --tag mrs-contract . && docker run --rm mrs-contract --help
FROM --platform=$BUILDPLATFORM node:24.19.0-alpine3.24@sha256:d32cdf619f63fe0471182d08996dd516c6275bb5fd31ae06e55a570bd9e1ad43 AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund
# The package as it is published, with the locked versions of what it needs.
RUN npm pack --silent && mkdir app && tar -xzf mrs-contract-*.tgz -C app --strip-components=1 && cp package-lock.json app/
RUN npm ci --prefix app --omit=dev --ignore-scripts --no-audit --no-fund && chmod +x app/dist/scripts/mrs.js

FROM node:24.19.0-alpine3.24@sha256:d32cdf619f63fe0471182d08996dd516c6275bb5fd31ae06e55a570bd9e1ad43
# tini passes signals on and reaps the processes that a client under test leaves.
RUN apk add --no-cache tini && install -d -m 1777 /workspace && ln -s /opt/mrs-contract/dist/scripts/mrs.js /usr/local/bin/mrs
COPY --from=build /build/app /opt/mrs-contract
ARG VERSION=unreleased
ARG REVISION=unknown
ARG CREATED=unknown
LABEL org.opencontainers.image.title="mrs-contract" \
  org.opencontainers.image.description="Mock and conformance suite of the Mitigation Request Service" \
  org.opencontainers.image.source="https://github.com/mrs-contract/mrs-contract" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED"
# Within a container, the mock must listen to the others.
ENV MRS_HOST=0.0.0.0
EXPOSE 4010
# Reports go to /workspace/reports; any user may write there.
WORKDIR /workspace
USER node
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MRS_PORT || 4010}/__mock/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/sbin/tini", "--", "mrs"]
CMD ["--help"]
