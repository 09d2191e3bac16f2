import type { Schemas } from '../../typescript/typed/index.js'
import { Button, Refusal } from '../design/index.js'
import { logOutToken } from './provider-sign-in.js'
import { isSignedIn, signOut } from './session.js'
import { useResponse } from './use-response.js'
import { useAction } from './use-action.js'

type Self = Schemas['Token']

const SignedIn = () => {
  const { value, failure } = useResponse<Self>('/v1/acl/token/self')
  const { failure: logoutFailure, run } = useAction()
  const { AccessorID = '', Description = '', ExpirationTime, AuthMethod } = value ?? {}
  return (
    <>
      <Refusal text={failure ?? logoutFailure} />
      {failure === undefined && (
        <p class="whose">
          {value && (
            <a
              href={`/ui/tokens/one?${new URLSearchParams({ key: AccessorID })}`}
              title={Description ? `${Description} (${AccessorID})` : AccessorID}
            >
              {Description || AccessorID.slice(0, 8)}
            </a>
          )}
          {AuthMethod && <span class="index">by {AuthMethod}</span>}
          {ExpirationTime && (
            <span class="index">
              until <time dateTime={ExpirationTime}>{new Date(ExpirationTime).toLocaleString()}</time>
            </span>
          )}
        </p>
      )}
      <Button
        label="Sign out"
        act={() => (AuthMethod ? run(logOutToken) : signOut())}
        title={AuthMethod ? 'Deletes the token of this login' : 'Forgets the token in this tab'}
      />
    </>
  )
}

export const CurrentToken = () => (isSignedIn.value ? <SignedIn /> : <a href="/ui/sign-in">Sign in</a>)
