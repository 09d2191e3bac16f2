import { tokenDefinition } from '../../../../../events/token.js'
import { CopyButton, Notice } from '../../../design/index.js'
import type { Schemas } from '../../../../typescript/typed/index.js'
import type { ResourceFormProps } from './form.js'
import { resourcePage } from '../../../resources/kind.js'
import { FieldsForm, UNCHANGED, OMITTED } from './fields-form.js'

export const TokenForm = (props: ResourceFormProps<Schemas['Token']>) => {
  const isHidden = props.stored !== undefined
  return (
    <FieldsForm
      {...props}
      hasImpact
      label="Token"
      definition={tokenDefinition}
      inputs={[
        { Description: {} },
        { Roles: {} },
        { Policies: {} },
        { ServiceIdentities: {} },
        { NodeIdentities: {} },
        {
          ExpirationTTL: {
            label: 'Expires after',
            name: 'ExpirationTTL|ExpirationTime',
            placeholder: 'never',
            hint: 'Such as 30m, 8h or 720h',
            isHidden
          }
        },
        { Local: { label: 'Local: valid in this datacenter only', isHidden } },
        { ExpirationTime: UNCHANGED, Rules: UNCHANGED },
        { AccessorID: OMITTED, AuthMethod: OMITTED, Specification: OMITTED }
      ]}
    />
  )
}

export const NewSecret = ({
  token: { AccessorID: key, SecretID, Namespace: ns, Partition: partition }
}: {
  readonly token: Schemas['Token']
}) => (
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
      <a href={resourcePage('tokens', { key, ns, partition })}>Open token</a>
    </p>
  </section>
)
