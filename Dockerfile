# The windrow command line in a small image; docs/operating.md shows how to run it. The root file
# system can be read-only: windrow writes to /data, and temporary files to /tmp.
ARG NODE=24

FROM node:${NODE}-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY build build
COPY src src
COPY service/src service/src
COPY sql sql
COPY notebooks notebooks
COPY pipelines pipelines
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:${NODE}-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/windrow
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/sql sql
COPY --from=build /build/notebooks notebooks
COPY --from=build /build/pipelines pipelines
RUN ln -s /opt/windrow/dist/cli/main.js /usr/local/bin/windrow \
  && mkdir -p /data /etc/windrow \
  && chown 10001:10001 /data
WORKDIR /etc/windrow
VOLUME /data
USER 10001:10001
# Healthy: no file is damaged, and the last success of each pipeline is not older than this. Set it
# to the time between two runs and some more. The first run has an hour.
ENV WINDROW_MAX_AGE=26h
HEALTHCHECK --interval=5m --timeout=1m --start-period=1h \
  CMD ["sh", "-c", "exec windrow status --data /data --max-age $WINDROW_MAX_AGE"]
ENTRYPOINT ["windrow"]
CMD ["--help"]
