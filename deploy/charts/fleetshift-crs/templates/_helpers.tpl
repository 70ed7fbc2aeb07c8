{{- define "fleetshift-crs.selector" -}}
app.kubernetes.io/name: fleetshift-crs
{{- end }}

{{- define "fleetshift-crs.labels" -}}
{{ include "fleetshift-crs.selector" . }}
app.kubernetes.io/part-of: fleetshift
{{- end }}

{{- define "fleetshift-crs.subjects" -}}
- kind: ServiceAccount
  name: fleetshift-crs
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- /* Takes root, kind (Role or ClusterRole), name, and namespace for a Role. */ -}}
{{- define "fleetshift-crs.binding" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "fleetshift-crs.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  {{- include "fleetshift-crs.subjects" .root | nindent 2 }}
{{- end }}

{{- /* Takes root and path. The clientConfig with which the API server calls a webhook. */ -}}
{{- define "fleetshift-crs.webhook" -}}
admissionReviewVersions: [v1]
clientConfig:
  service:
    name: fleetshift-crs-webhook
    namespace: {{ .root.Release.Namespace }}
    port: {{ .root.Values.webhooks.port }}
    path: {{ .path }}
  {{- if eq .root.Values.webhooks.certificate "secret" }}
  caBundle: {{ .root.Values.webhooks.ca | b64enc }}
  {{- end }}
failurePolicy: {{ .root.Values.webhooks.failurePolicy }}
matchPolicy: Equivalent
sideEffects: None
timeoutSeconds: 10
{{- with .root.Values.namespace }}
namespaceSelector:
  matchLabels:
    kubernetes.io/metadata.name: {{ . }}
{{- end }}
{{- end }}

{{- /* Annotations of a webhook configuration into which cert-manager writes the CA. */ -}}
{{- define "fleetshift-crs.injected" -}}
{{- if eq .Values.webhooks.certificate "cert-manager" }}
annotations:
  cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/fleetshift-crs-webhook
{{- end }}
{{- end }}

{{- /* The mounted Secret, if the controller does not manage the certificate itself. */ -}}
{{- define "fleetshift-crs.certificateSecret" -}}
{{- if eq .Values.webhooks.certificate "cert-manager" }}fleetshift-crs-webhook{{ else }}{{ .Values.webhooks.secretName }}{{ end }}
{{- end }}
