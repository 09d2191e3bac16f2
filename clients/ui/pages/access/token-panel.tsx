// What the page of a token has besides: when it was used and ends, its rights, its form, and its clones.
import { ZERO_TIME } from '../../../../events/time.js'
import { Refusal } from '../../parts/refusal.js'
import { say } from '../../parts/said.js'
import { placeOf } from '../../session/place.js'
import { useAnswer } from '../../session/use-answer.js'
import type { PanelProps } from '../thing/panel-props.js'
import { Clone } from './clone.js'
import { DeleteButton } from './forms/delete-button.js'
import { TokenForm } from './forms/token-form.js'
import type { Token } from './forms/things.js'
import { Moment } from '../../parts/moment.js'
import { RightsPanel } from './rights.js'

const Facts = ({ token }: { readonly token: Token }) => {
  const { AuthMethod, CreateTime, ExpirationTime, LastUsed, Local } = token
  return (
    <dl>
      <div>
        <dt>Made</dt>
        <dd>
          {CreateTime === ZERO_TIME ? 'with the log' : <Moment at={CreateTime} />}
          {AuthMethod && ` by a login with ${AuthMethod}`}
        </dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{LastUsed ? <Moment at={LastUsed} /> : 'never, as far as is known'}</dd>
      </div>
      <div>
        <dt>Ends</dt>
        <dd>{ExpirationTime ? <Moment at={ExpirationTime} /> : 'never'}</dd>
      </div>
      <div>
        <dt>Valid</dt>
        <dd>{Local ? 'in this datacenter' : 'in all datacenters'}</dd>
      </div>
    </dl>
  )
}

export const TokenPanel = (props: PanelProps) => {
  const { named, turn } = props
  const id = String(named['key'])
  const place = placeOf(named)
  const path = '/v1/acl/token'
  const { value: token, failure } = useAnswer<Token>(`${path}/${encodeURIComponent(id)}`, place, turn)
  return (
    <>
      <Refusal text={failure} />
      {token && <Facts token={token} />}
      <RightsPanel {...props} />
      {token && (
        <>
          <section aria-label="Edit">
            <h2>Edit</h2>
            <TokenForm token={token} place={place} done={() => say('Saved.')} />
          </section>
          {!token.AuthMethod && <Clone token={token} place={place} />}
          <DeleteButton
            target={{ path, id, place }}
            what="token"
            name={token.Description || id}
            consequence="Whoever uses it is refused from then on."
            back="/ui/tokens"
          />
        </>
      )}
    </>
  )
}
