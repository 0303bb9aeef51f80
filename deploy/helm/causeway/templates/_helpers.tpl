{{- define "causeway.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "causeway.labels" -}}
app.kubernetes.io/name: causeway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "causeway.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The pod of one role: of dict root, role, command. */ -}}
{{- define "causeway.pod" -}}
{{- $values := index .root.Values .role -}}
metadata:
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 40 # a role ends what it holds within 30 s
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    seccompProfile: {type: RuntimeDefault}
  {{- if eq .role "signer" }}
  initContainers: # a Secret's files belong to root, and the signer takes keys only from a file of its own that nobody else reads
    - name: keys
      image: {{ include "causeway.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [sh, -c, "umask 077 && cp -L /given/* /etc/causeway/signer/ && chmod 0400 /etc/causeway/signer/*"]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 32Mi}}
      volumeMounts:
        - {name: given, mountPath: /given, readOnly: true}
        - {name: signer, mountPath: /etc/causeway/signer}
  {{- end }}
  containers:
    - name: {{ .role }}
      image: {{ include "causeway.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ toJson .command }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      env:
        {{- $own := dict "NETWORKS_FILE" "/etc/causeway/networks.yaml" "OPERATOR_ADDR" "0.0.0.0:8081" }}
        {{- if eq .role "api" }}{{- $_ := set $own "LISTEN_ADDR" "0.0.0.0:8080" }}{{- end }}
        {{- range $name, $value := merge $own $values.settings .root.Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      envFrom:
        - secretRef: {name: {{ required (printf "%s.secret names no Secret" .role) $values.secret | quote }}}
      resources: {{ toJson $values.resources }}
      volumeMounts:
        - {name: networks, mountPath: /etc/causeway/networks.yaml, subPath: networks.yaml, readOnly: true}
        {{- if eq .role "signer" }}
        - {name: signer, mountPath: /etc/causeway/signer, readOnly: true}
        {{- end }}
      {{- if ne .role "migrate" }}
      {{- $port := ternary "api" "operator" (eq .role "api") }}
      ports:
        - {name: operator, containerPort: 8081}
        {{- if eq .role "api" }}
        - {name: api, containerPort: 8080}
        {{- end }}
      readinessProbe:
        httpGet: {path: /readyz, port: {{ $port }}}
        periodSeconds: 5
        timeoutSeconds: 5
      livenessProbe: # not readiness: a role that waits for its database is not helped by a restart
        httpGet: {path: /healthz, port: {{ $port }}}
        periodSeconds: 10
        timeoutSeconds: 5
        initialDelaySeconds: 20
        failureThreshold: 6
      {{- end }}
  volumes:
    - name: networks
      secret: {secretName: {{ required "networksSecret names no Secret" .root.Values.networksSecret | quote }}, defaultMode: 0440}
    {{- if eq .role "signer" }}
    - name: given
      secret: {secretName: {{ required "signerSecret names no Secret" .root.Values.signerSecret | quote }}, defaultMode: 0440}
    - name: signer
      emptyDir: {medium: Memory, sizeLimit: 1Mi}
    {{- end }}
{{- end -}}
