// Whose token it is, when it ends, and how to leave.
import { Refusal } from '../parts/refusal.js'
import { logOut } from './log-in.js'
import { isKnown, leave } from './session.js'
import { useAnswer } from './use-answer.js'
import { useDeed } from './use-deed.js'

/** The token presented, as `GET /v1/acl/token/self` tells it. */
interface Self {
  readonly AccessorID: string
  readonly Description: string
  readonly ExpirationTime?: string
  /** The login that made it. */
  readonly AuthMethod?: string
}

const Known = () => {
  const { value, failure } = useAnswer<Self>('/v1/acl/token/self')
  const { failure: notDone, run } = useDeed()
  const { AccessorID = '', Description = '', ExpirationTime, AuthMethod } = value ?? {}
  return (
    <>
      <Refusal text={failure ?? notDone} />
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
      {AuthMethod && (
        <button type="button" onClick={() => run(logOut)} title="Ends the token">
          Log out
        </button>
      )}
      <button type="button" onClick={leave} title="Forgets the token in this tab">
        Leave
      </button>
    </>
  )
}

export const Who = () => (isKnown.value ? <Known /> : <a href="/ui/enter">Enter</a>)
