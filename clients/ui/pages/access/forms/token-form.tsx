// A token in a form.
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useDraft } from '../../../session/use-draft.js'
import { Form, TextField } from './form.js'
import { grantsDraft, GrantsFields, grantsOf } from './grants.js'
import { LinksField } from './links-field.js'
import { store } from './send.js'
import type { Link, CreatedToken, Token } from './acl-resources.js'

const NO_LINKS: readonly Link[] = []

interface Props {
  /** Undefined for one that is to be made. */
  readonly token: Token | undefined
  readonly place: TenancyQuery
  readonly done: (stored: CreatedToken) => void
}

export const TokenForm = ({ token, place, done }: Props) => {
  const { AccessorID, Description = '', Roles = NO_LINKS, Local = false, ModifyIndex = 0 } = token ?? {}
  const stored = { Description, roles: Roles, Local, ttl: '', ...grantsDraft(token ?? {}) }
  const draft = useDraft(stored, ModifyIndex)
  const { value, change } = draft
  const send = async (reason: string): Promise<void> => {
    const body = {
      Description: value.Description,
      Local: value.Local,
      Roles: value.roles.map(({ ID }) => ({ ID })),
      ...grantsOf(value),
      // What may not change is said as it is.
      ...(token?.ExpirationTime === undefined ? {} : { ExpirationTime: token.ExpirationTime }),
      ...(token?.Rules === undefined ? {} : { Rules: token.Rules }),
      ...(value.ttl.trim() === '' ? {} : { ExpirationTTL: value.ttl.trim() })
    }
    const saved = await store<CreatedToken>({ path: '/v1/acl/token', id: AccessorID, place }, body, reason)
    draft.discard()
    done(saved)
  }
  return (
    <Form label="Token" place={place} draft={draft} isNew={!token} send={send}>
      {() => (
        <>
          <TextField
            label="Description"
            value={value.Description}
            change={text => change({ Description: text })}
          />
          <LinksField
            kind="roles"
            place={place}
            links={value.roles}
            change={links => change({ roles: links })}
          />
          <GrantsFields place={place} value={value} change={change} />
          {!token && (
            <>
              <TextField
                label="Ends after"
                placeholder="never"
                hint="Such as 30m, 8h or 720h"
                value={value.ttl}
                change={text => change({ ttl: text })}
              />
              <label class="check">
                <input
                  type="checkbox"
                  checked={value.Local}
                  onInput={({ currentTarget }) => change({ Local: currentTarget.checked })}
                />{' '}
                Local: valid in this datacenter alone
              </label>
            </>
          )}
        </>
      )}
    </Form>
  )
}
