# One static binary, as an ordinary user, in an image with just enough around it for a health check.
FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /causeway ./cmd/causeway

FROM busybox:1.37-musl
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /causeway /usr/local/bin/causeway
USER 65532:65532
# 8080 is /v1 and the payers' pages, 8081 the operator port: never publish that one beyond where operators are.
EXPOSE 8080 8081
ENTRYPOINT ["causeway"]
CMD ["--help"]
