// The sign-in page: with the secret of a token, or by a login with an auth method.
import type { Schemas } from '../../typescript/typed/index.js'
import { useState } from 'preact/hooks'
import { signIn } from '../session/session.js'
import { redirectToProvider, signInWithJwt, type Method } from '../session/provider-sign-in.js'
import { useResponse, useRoute } from '../session/use-response.js'
import { ActionForm, CheckField, Field, Heading, Section, SubmitButton } from '../design/index.js'
import { lazy } from 'preact-iso'
import { sendJson } from './send.js'

const NewSecret = lazy(async () => (await import('./access/forms/token-form.js')).NewSecret)

const LoginForm = () => {
  const [name, setName] = useState('')
  const [namespace, setNamespace] = useState('')
  const [isKept, setIsKept] = useState(false)
  const [jwt, setJwt] = useState('')
  // Requested on focus, because anonymous requests are usually denied.
  const [isListed, setIsListed] = useState(false)
  const { value: methods = [], failure: unseen } = useResponse<readonly Schemas['AuthMethodEntry'][]>(
    isListed ? '/v1/acl/auth-methods' : undefined,
    { ns: namespace || undefined }
  )
  const route = useRoute()
  const method: Method = { name, namespace: namespace || undefined, isKept }
  const type = methods.find(({ Name }) => Name === name)?.Type
  const logIn = async (): Promise<void> => {
    if (jwt.trim() === '') return redirectToProvider(method)
    await signInWithJwt(method, jwt.trim())
    route('/ui/')
  }
  return (
    <Section title="With single sign-on">
      <ActionForm action={logIn} class="fields">
        <Field
          label="Auth method"
          required
          options={methods.map(
            ({ Name, DisplayName, Type }) => [Name, `${DisplayName || Name} (${Type})`] as const
          )}
          value={name}
          change={setName}
          onFocus={() => setIsListed(true)}
        />
        {unseen !== undefined && <p class="index">The list is hidden: {unseen}</p>}
        <details>
          <summary>Namespace of the auth method</summary>
          <Field
            label="Namespace"
            placeholder="default"
            value={namespace}
            change={text => setNamespace(text.trim())}
          />
        </details>
        <Field
          label="JWT (not for OIDC methods)"
          rows={3}
          disabled={type === 'oidc'}
          value={jwt}
          change={setJwt}
        />
        <CheckField label="Stay signed in until this tab closes" value={isKept} change={setIsKept} />
        <p>
          <SubmitButton
            label={jwt.trim() === '' ? 'Sign in with OIDC' : 'Sign in with JWT'}
            class="primary"
          />
        </p>
      </ActionForm>
    </Section>
  )
}

/** Creates the first management token, where there is none. */
const NewServer = () => {
  const { value: state } = useResponse<Schemas['Bootstrap']>('/v1/internal/acl/bootstrap')
  const [token, setToken] = useState<Schemas['Token']>()
  const bootstrap = async (): Promise<void> => {
    const created = await sendJson<Schemas['Token']>('PUT', '/v1/acl/bootstrap')
    setToken(created)
    await signIn(created.SecretID, false)
  }
  if (!token && !state?.Allowed) return null
  return (
    <Section title="New server">
      <p>This server denies every request until you create the first management token. This works once.</p>
      <p>
        Run <code>annals bootstrap</code>, or create it here. Its secret is shown once.
      </p>
      {token ? (
        <NewSecret token={token} />
      ) : (
        <ActionForm action={bootstrap}>
          <SubmitButton label="Create management token" />
        </ActionForm>
      )}
    </Section>
  )
}

export const SignInPage = () => {
  const route = useRoute()
  const submit = async (_reason: string, data: FormData): Promise<void> => {
    const secret = data.get('token')
    if (typeof secret !== 'string') return
    await signIn(secret.trim(), data.has('keep'))
    route('/ui/')
  }
  return (
    <main class="resource">
      <Heading>Sign in</Heading>
      <NewServer />
      <div class="columns">
        <Section title="With a token">
          <ActionForm action={submit} class="fields">
            <label>
              Token secret
              <input name="token" type="password" required autocomplete="off" />
            </label>
            <label class="check">
              <input name="keep" type="checkbox" /> Stay signed in until this tab closes
            </label>
            <p>
              <SubmitButton label="Sign in" class="primary" />
            </p>
          </ActionForm>
        </Section>
        <LoginForm />
      </div>
    </main>
  )
}
