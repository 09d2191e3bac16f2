// An auth method as JSON, with the faults of its text.
import { useMemo } from 'preact/hooks'
import { CodeEditor } from '../../../components/code-editor.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useDraft } from '../../../session/use-draft.js'
import type { Fields } from '../../../resources/kind.js'
import { versionViewFor } from '../../../resources/versions.js'
import { Form } from './form.js'
import { store } from './send.js'

/** As the API tells it. */
export interface AuthMethod extends Fields {
  readonly Name: string
  readonly ModifyIndex: number
}

/** What a new one of each type says at the least. */
export const NEW_METHODS = {
  jwt: {
    Name: '',
    Type: 'jwt',
    MaxTokenTTL: '1h',
    Config: { JWKSURL: '', BoundAudiences: [], ClaimMappings: { sub: 'subject' } }
  },
  oidc: {
    Name: '',
    Type: 'oidc',
    MaxTokenTTL: '1h',
    Config: {
      OIDCDiscoveryURL: '',
      OIDCClientID: '',
      OIDCClientSecret: '',
      AllowedRedirectURIs: [`${location.origin}/ui/oidc/callback`],
      ClaimMappings: { sub: 'subject' },
      ListClaimMappings: { groups: 'groups' }
    }
  },
  kubernetes: {
    Name: '',
    Type: 'kubernetes',
    MaxTokenTTL: '1h',
    Config: { Host: '', CACert: '', ServiceAccountJWT: '' }
  }
} as const

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const editable = ({
  CreateIndex: _made,
  ModifyIndex: _changed,
  Hash: _hash,
  Namespace: _namespace,
  Partition: _partition,
  ...method
}: Fields): Fields => method

interface Props {
  /** Undefined for one that is to be made. */
  readonly method: AuthMethod | undefined
  /** What one that is to be made begins with. */
  readonly beginning?: Fields
  readonly place: TenancyQuery
  readonly done: (stored: AuthMethod) => void
}

export const AuthMethodForm = ({ method, beginning = NEW_METHODS.jwt, place, done }: Props) => {
  const stored = useMemo(() => ({ text: versionViewFor(editable(method ?? beginning)) }), [method, beginning])
  const draft = useDraft(stored, method?.ModifyIndex ?? 0)
  const { text } = draft.value
  const isFaulty = useMemo(() => !isJson(text), [text])
  const send = async (reason: string): Promise<void> => {
    const body: unknown = JSON.parse(text)
    const target = { path: '/v1/acl/auth-method', id: method?.Name, place }
    const saved = await store<AuthMethod>(target, body, reason)
    draft.discard()
    done(saved)
  }
  return (
    <Form label="Auth method" place={place} draft={draft} isNew={!method} isFaulty={isFaulty} send={send}>
      {mayWrite => (
        <CodeEditor
          value={text}
          change={changed => draft.change({ text: changed })}
          language="json"
          label="Auth method as JSON"
          readOnly={!mayWrite}
        />
      )}
    </Form>
  )
}
