// Logging in by an auth method: OIDC goes by way of its provider, a JWT is pasted.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Refusal } from '../../components/notice.js'
import { redirectToProvider, signInWithJwt, type Method } from '../../session/provider-sign-in.js'
import { useResponse } from '../../session/use-response.js'
import { useAction } from '../../session/use-action.js'

/** An auth method in a list. */
interface Listed {
  readonly Name: string
  readonly DisplayName?: string
  readonly Type: string
}

const METHODS = 'auth-methods'

/** The methods that may be seen; others are known to who uses them. */
const Names = ({ methods }: { readonly methods: readonly Listed[] }) => (
  <datalist id={METHODS}>
    {methods.map(({ Name, DisplayName, Type }) => (
      <option key={Name} value={Name} label={`${DisplayName || Name} (${Type})`} />
    ))}
  </datalist>
)

export const SignInForm = () => {
  const [name, setName] = useState('')
  const [namespace, setNamespace] = useState('')
  const [isKept, setIsKept] = useState(false)
  const [jwt, setJwt] = useState('')
  // Asked only by who means to log in: strangers are mostly refused.
  const [isAsked, setIsAsked] = useState(false)
  const { value: methods = [], failure: unseen } = useResponse<readonly Listed[]>(
    isAsked ? '/v1/acl/auth-methods' : undefined,
    { ns: namespace || undefined }
  )
  const { failure, isRunning, run } = useAction()
  const { route } = useLocation()
  const method: Method = { name, namespace: namespace || undefined, isKept }
  const type = methods.find(({ Name }) => Name === name)?.Type
  const byJwt = async (): Promise<void> => {
    await signInWithJwt(method, jwt.trim())
    route('/ui/')
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    run(() => (jwt.trim() === '' ? redirectToProvider(method) : byJwt()))
  }
  return (
    <section aria-labelledby="by-login">
      <h2 id="by-login">By a login</h2>
      <form onSubmit={submit} class="enter">
        <label>
          Auth method
          <input
            list={METHODS}
            onFocus={() => setIsAsked(true)}
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
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onInput={({ currentTarget }) => setIsKept(currentTarget.checked)}
          />{' '}
          Keep the token until this tab is closed
        </label>
        <p>
          <button type="submit" class="primary" disabled={isRunning}>
            {jwt.trim() === '' ? 'Log in with OIDC' : 'Log in with the JWT'}
          </button>
        </p>
        <Refusal text={failure} />
      </form>
    </section>
  )
}
