// What the page of a thing has besides, by its kind. Each is loaded when such a thing is looked at.
import type { FunctionComponent } from 'preact'
import { ErrorBoundary, lazy } from 'preact-iso'
import { moment } from '../../past/moment.js'
import type { PanelProps } from './panel-props.js'

/** By the topic of the kind. */
const PANELS: Readonly<Record<string, FunctionComponent<PanelProps>>> = {
  ACLToken: lazy(async () => (await import('../access/token-panel.js')).TokenPanel),
  ACLPolicy: lazy(async () => (await import('../access/policy-panel.js')).PolicyPanel),
  ACLRole: lazy(async () => (await import('../access/role-panel.js')).RolePanel),
  ACLAuthMethod: lazy(async () => (await import('../access/auth-method-panel.js')).AuthMethodPanel),
  ACLBindingRule: lazy(async () => (await import('../access/binding-rule-panel.js')).BindingRulePanel),
  Service: lazy(async () => (await import('../catalog/instance-panel.js')).InstancePanel),
  Check: lazy(async () => (await import('../catalog/check-panel.js')).CheckPanel),
  Node: lazy(async () => (await import('../catalog/node-panel.js')).NodePanel),
  ConfigEntry: lazy(async () => (await import('../mesh/entry-editor.js')).EntryEditor),
  KV: lazy(async () => (await import('../keys/key/key-editor.js')).KeyEditor),
  Session: lazy(async () => (await import('../keys/locks/session-panel.js')).SessionPanel),
  PreparedQuery: lazy(async () => (await import('../queries/query-panel.js')).QueryPanel),
  Namespace: lazy(async () => (await import('../server/tenancy/namespace-panel.js')).NamespacePanel),
  Partition: lazy(async () => (await import('../server/tenancy/partition-panel.js')).PartitionPanel)
}

export const Panel = (props: PanelProps) => {
  const { topic } = props.named
  const Found = typeof topic === 'string' ? PANELS[topic] : undefined
  return Found ? (
    <ErrorBoundary>
      {/* What was is not edited. */}
      <fieldset class="panel" disabled={moment.value !== undefined}>
        <Found {...props} />
      </fieldset>
    </ErrorBoundary>
  ) : null
}
