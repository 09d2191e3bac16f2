import { useMemo, useState } from 'preact/hooks'
import { Choice, CodeEditor, fieldOf } from '../../../design/index.js'
import { parseObject } from '../../../../../events/values.js'
import { type Fields, textIn, versionViewFor } from '../../../resources/kind.js'
import { isJson } from '../../keys/values/content-types.js'
import { Form, type ResourceFormProps } from './form.js'
import { useDraft } from '../../../session/draft.js'

export interface AuthMethod extends Fields {
  readonly Name: string
  readonly ModifyIndex: number
}

const newMethod = (Type: string, Config: object): Fields => ({ Name: '', Type, MaxTokenTTL: '1h', Config })

/** The initial definition of an auth method by type. */
const NEW_METHODS: Readonly<Record<string, Fields>> = {
  jwt: newMethod('jwt', { JWKSURL: '', BoundAudiences: [], ClaimMappings: { sub: 'subject' } }),
  oidc: newMethod('oidc', {
    OIDCDiscoveryURL: '',
    OIDCClientID: '',
    OIDCClientSecret: '',
    AllowedRedirectURIs: [`${location.origin}/ui/oidc/callback`],
    ClaimMappings: { sub: 'subject' },
    ListClaimMappings: { groups: 'groups' }
  }),
  kubernetes: newMethod('kubernetes', { Host: '', CACert: '', ServiceAccountJWT: '' })
}

const GENERATED = new Set(['CreateIndex', 'ModifyIndex', 'Hash', 'Namespace', 'Partition'])

const writableOf = (method: Fields): Fields =>
  Object.fromEntries(Object.entries(method).filter(([name]) => !GENERATED.has(name)))

interface Props extends ResourceFormProps<AuthMethod> {
  readonly initial: Fields
}

const DefinitionForm = ({ target, stored, initial, done }: Props) => {
  const definition = useMemo(() => ({ text: versionViewFor(writableOf(initial)) }), [initial])
  const draft = useDraft(definition, stored?.ModifyIndex ?? 0)
  const { text } = draft.value
  const isFaulty = useMemo(() => !isJson(text), [text])
  return (
    <Form
      label="Auth method"
      target={target}
      draft={draft}
      isFaulty={isFaulty}
      unique={{ list: '/v1/acl/auth-methods', name: textIn(parseObject(text), 'Name') }}
      body={() => JSON.parse(text)}
      done={done}
    >
      <CodeEditor {...fieldOf(draft, 'text')} language="json" label="Auth method as JSON" />
    </Form>
  )
}

const TYPES = Object.keys(NEW_METHODS).map(type => [type, type] as const)

export const AuthMethodForm = (props: ResourceFormProps<AuthMethod>) => {
  const [type, setType] = useState('jwt')
  if (props.stored) return <DefinitionForm {...props} initial={props.stored} />
  return (
    <>
      <Choice label="Type" options={TYPES} chosen={type} choose={setType} />
      <DefinitionForm {...props} key={type} initial={NEW_METHODS[type] ?? {}} />
    </>
  )
}
