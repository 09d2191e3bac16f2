import { tokenDefinition } from '../../../../../events/token.js'
import {
  CheckField,
  CopyButton,
  Field,
  fieldOf,
  FurtherFields,
  furtherTexts,
  Notice
} from '../../../design/index.js'
import { useDraft } from '../../../session/use-response.js'
import { Form, type ResourceFormProps, type Link, type CreatedToken, type Token } from './form.js'
import { grantsDraft, GrantsFields, grantsOf } from './grants.js'
import { LinksField } from './links-field.js'
import { resourcePage } from '../../../resources/kind.js'

const KNOWN = ['AccessorID', 'Description', 'Rules', 'AuthMethod', 'Specification']
const NO_LINKS: readonly Link[] = []

interface Props extends Omit<ResourceFormProps<CreatedToken>, 'stored'> {
  readonly stored: Token | undefined
}

export const TokenForm = ({ target, stored, done }: Props) => {
  const { Description = '', Roles = NO_LINKS, Local = false, ModifyIndex = 0 } = stored ?? {}
  const draft = useDraft(
    {
      Description,
      roles: Roles,
      Local,
      ttl: '',
      further: furtherTexts(tokenDefinition, KNOWN, stored),
      ...grantsDraft(stored ?? {})
    },
    ModifyIndex
  )
  const body = () => ({
    Description: draft.value.Description,
    ...draft.value.further,
    Local: draft.value.Local,
    Roles: draft.value.roles.map(({ ID }) => ({ ID })),
    ...grantsOf(draft.value),
    // Immutable fields must be sent unchanged.
    ExpirationTime: stored?.ExpirationTime,
    Rules: stored?.Rules,
    ExpirationTTL: draft.value.ttl.trim() || undefined
  })
  return (
    <Form hasImpact label="Token" target={target} draft={draft} body={body} done={done}>
      <Field label="Description" {...fieldOf(draft, 'Description')} />
      <FurtherFields definition={tokenDefinition} {...fieldOf(draft, 'further')} />
      <LinksField kind="roles" place={target.place} {...fieldOf(draft, 'roles')} />
      <GrantsFields place={target.place} {...draft} />
      {!stored && (
        <>
          <Field
            label="Expires after"
            placeholder="never"
            hint="Such as 30m, 8h or 720h"
            {...fieldOf(draft, 'ttl')}
            name="ExpirationTTL|ExpirationTime"
          />
          <CheckField label="Local: valid in this datacenter only" {...fieldOf(draft, 'Local')} />
        </>
      )}
    </Form>
  )
}

export const NewSecret = ({ token: { AccessorID, SecretID } }: { readonly token: CreatedToken }) => (
  <section aria-label="Created token">
    <Notice tone="good">Token created. Copy the secret now: it is not shown again.</Notice>
    <p class="choices">
      <label class="secret">
        <span>Secret</span>
        <textarea
          readOnly
          rows={2}
          value={SecretID}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      </label>
      <CopyButton text={SecretID} />
    </p>
    <p>
      <a href={resourcePage('tokens', { key: AccessorID })}>Open token</a>
    </p>
  </section>
)
