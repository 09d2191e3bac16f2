// A namespace in a form: what it is for, and what each of its tokens has besides its own rights.
import type { TenancyQuery } from '../../../session/tenancy.js'
import { useDraft } from '../../../session/use-draft.js'
import { LinksField } from '../../access/forms/links-field.js'
import { store } from '../../access/forms/send.js'
import { TenancyForm } from './form.js'
import { metaIn, metaText, type Namespace } from './tenancy-resources.js'

interface Props {
  /** Undefined for one that is to be made. */
  readonly namespace: Namespace | undefined
  readonly partition: string | undefined
  readonly done: (stored: Namespace) => void
}

export const NamespaceForm = ({ namespace, partition, done }: Props) => {
  const { Name = '', Description = '', ACLs, Meta, ModifyIndex = 0 } = namespace ?? {}
  const { PolicyDefaults, RoleDefaults } = ACLs ?? {}
  const draft = useDraft(
    { Name, Description, meta: metaText(Meta), policies: PolicyDefaults ?? [], roles: RoleDefaults ?? [] },
    ModifyIndex
  )
  const { value, change } = draft
  /** Defaults stand in its partition's namespace `default`. */
  const place: TenancyQuery = { ns: undefined, partition }
  const send = async (reason: string): Promise<void> => {
    const { policies, roles, meta, ...fields } = value
    const body = {
      ...fields,
      ACLs: { PolicyDefaults: policies, RoleDefaults: roles },
      Meta: metaIn(meta)
    }
    const id = namespace?.Name
    const saved = await store<Namespace>({ path: '/v1/namespace', id, place }, body, reason)
    draft.discard()
    done(saved)
  }
  return (
    <TenancyForm label="Namespace" place={place} draft={draft} isNew={!namespace} send={send}>
      <div class="columns" role="group" aria-label="What each of its tokens has besides its own rights">
        <LinksField
          kind="policies"
          place={place}
          links={value.policies}
          change={links => change({ policies: links })}
        />
        <LinksField
          kind="roles"
          place={place}
          links={value.roles}
          change={links => change({ roles: links })}
        />
      </div>
      <label>
        <span>Metadata, a pair a line</span>
        <textarea
          rows={3}
          placeholder="owner = team"
          value={value.meta}
          onInput={({ currentTarget }) => change({ meta: currentTarget.value })}
        />
      </label>
    </TenancyForm>
  )
}
