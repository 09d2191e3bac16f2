// What a page of a partition has besides: its form, ways to what is in it, and its end.
import { Refusal } from '../../../components/notice.js'
import { useResponse } from '../../../session/use-response.js'
import type { PanelProps } from '../../resource/panel-props.js'
import { DeleteTenancy, DeletionNotice } from './delete-tenancy.js'
import { TenancyLinks } from './tenancy-links.js'
import { PartitionForm } from './partition-form.js'
import type { Partition } from './tenancy-resources.js'

const CONSEQUENCE = 'Its namespaces go with all that is in them, and its nodes, in the background.'
const PLACE = { ns: undefined, partition: undefined } as const

export const PartitionPanel = ({ named, turn }: PanelProps) => {
  const name = String(named['key'])
  const path = `/v1/partition/${encodeURIComponent(name)}`
  const { value, failure } = useResponse<Partition>(path, {}, turn)
  return (
    <>
      <Refusal text={failure} />
      {value?.DeletedAt !== undefined && <DeletionNotice since={value.DeletedAt} />}
      <TenancyLinks namespace={undefined} partition={name} />
      {value && value.DeletedAt === undefined && (
        <section aria-label="Edit">
          <h2>Edit</h2>
          <PartitionForm partition={value} done={() => {}} />
          <DeleteTenancy
            target={{ path: '/v1/partition', id: name, place: PLACE }}
            what="partition"
            consequence={CONSEQUENCE}
          />
        </section>
      )}
    </>
  )
}
