// The sign-in page: with the secret of a token, or by a login with an auth method.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { signIn } from '../session/session.js'
import { redirectToProvider, signInWithJwt, type Method } from '../session/provider-sign-in.js'
import { useResponse } from '../session/use-response.js'
import { ActionForm } from '../components/action-form.js'
import { CheckField } from '../components/field.js'
import { Heading } from '../components/heading.js'

interface Listed {
  readonly Name: string
  readonly DisplayName?: string
  readonly Type: string
}

const METHODS = 'auth-methods'

/** The readable methods. Users can enter others. */
const Names = ({ methods }: { readonly methods: readonly Listed[] }) => (
  <datalist id={METHODS}>
    {methods.map(({ Name, DisplayName, Type }) => (
      <option key={Name} value={Name} label={`${DisplayName || Name} (${Type})`} />
    ))}
  </datalist>
)

const LoginForm = () => {
  const [name, setName] = useState('')
  const [namespace, setNamespace] = useState('')
  const [isKept, setIsKept] = useState(false)
  const [jwt, setJwt] = useState('')
  // Requested on focus, because anonymous requests are usually denied.
  const [isListed, setIsListed] = useState(false)
  const { value: methods = [], failure: unseen } = useResponse<readonly Listed[]>(
    isListed ? '/v1/acl/auth-methods' : undefined,
    { ns: namespace || undefined }
  )
  const { route } = useLocation()
  const method: Method = { name, namespace: namespace || undefined, isKept }
  const type = methods.find(({ Name }) => Name === name)?.Type
  const logIn = async (): Promise<void> => {
    if (jwt.trim() === '') return redirectToProvider(method)
    await signInWithJwt(method, jwt.trim())
    route('/ui/')
  }
  return (
    <section aria-labelledby="by-login">
      <h2 id="by-login">By a login</h2>
      <ActionForm action={logIn} class="fields">
        {isRunning => (
          <>
            <label>
              Auth method
              <input
                list={METHODS}
                onFocus={() => setIsListed(true)}
                required
                autocomplete="off"
                value={name}
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
            </label>
            <Names methods={methods} />
            {unseen !== undefined && <p class="index">The list is not readable: {unseen}</p>}
            <label>
              Namespace
              <input
                placeholder="default"
                autocomplete="off"
                value={namespace}
                onChange={({ currentTarget }) => setNamespace(currentTarget.value.trim())}
              />
            </label>
            <label>
              JWT, unless the method is of OIDC
              <textarea
                rows={3}
                autocomplete="off"
                spellcheck={false}
                disabled={type === 'oidc'}
                value={jwt}
                onInput={({ currentTarget }) => setJwt(currentTarget.value)}
              />
            </label>
            <CheckField label="Keep the token until this tab is closed" value={isKept} change={setIsKept} />
            <p>
              <button type="submit" class="primary" disabled={isRunning}>
                {jwt.trim() === '' ? 'Log in with OIDC' : 'Log in with the JWT'}
              </button>
            </p>
          </>
        )}
      </ActionForm>
    </section>
  )
}

export const SignInPage = () => {
  const { route } = useLocation()
  const submit = async (data: FormData): Promise<void> => {
    const secret = data.get('token')
    if (typeof secret !== 'string') return
    await signIn(secret.trim(), data.has('keep'))
    route('/ui/')
  }
  return (
    <main class="resource">
      <Heading>Who are you?</Heading>
      <section aria-labelledby="by-token">
        <h2 id="by-token">By a token</h2>
        <ActionForm action={submit} class="fields">
          {() => (
            <>
              <label>
                Secret of a token
                <input name="token" type="password" required autocomplete="off" />
              </label>
              <label class="check">
                <input name="keep" type="checkbox" /> Keep it until this tab is closed
              </label>
              <p>
                <button type="submit" class="primary">
                  Enter
                </button>
              </p>
            </>
          )}
        </ActionForm>
      </section>
      <LoginForm />
    </main>
  )
}
