// What a page of a namespace has besides: its form, ways to what is in it, and its end.
import { tenancyQueryOf } from '../../../session/tenancy.js'
import { useResponse } from '../../../session/use-response.js'
import { Refusal } from '../../../components/notice.js'
import type { PanelProps } from '../../resource/panel-props.js'
import { DeleteTenancy, DeletionNotice } from './delete-tenancy.js'
import { TenancyLinks } from './tenancy-links.js'
import { NamespaceForm } from './namespace-form.js'
import type { Namespace } from './tenancy-resources.js'

const CONSEQUENCE =
  'Its tokens, policies, roles, keys, sessions, services and configuration entries go with it, in the background. Nodes stay.'

export const NamespacePanel = ({ named, turn }: PanelProps) => {
  const name = String(named['key'])
  const { partition } = tenancyQueryOf(named)
  const place = { ns: undefined, partition }
  const path = `/v1/namespace/${encodeURIComponent(name)}`
  const { value, failure } = useResponse<Namespace>(path, place, turn)
  return (
    <>
      <Refusal text={failure} />
      {value?.DeletedAt !== undefined && <DeletionNotice since={value.DeletedAt} />}
      <TenancyLinks namespace={name} partition={partition} />
      {value && value.DeletedAt === undefined && (
        <section aria-label="Edit">
          <h2>Edit</h2>
          <NamespaceForm namespace={value} partition={partition} done={() => {}} />
          <DeleteTenancy
            target={{ path: '/v1/namespace', id: name, place }}
            what="namespace"
            consequence={CONSEQUENCE}
          />
        </section>
      )}
    </>
  )
}
