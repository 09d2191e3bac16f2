// The permissions that a resource requires, and a test of any token against them.
import { useMemo, useState } from 'preact/hooks'
import { Combobox, Refusal, Section, Button, Select, Table } from '../../design/index.js'
import { useResponse, useResult } from '../../session/use-response.js'
import type { TenancyQuery } from '../../session/tenancy.js'
import { Explanation, smallestPolicy, type Explained, SourceLink, EXPLAIN } from '../access/explanation.js'
import type { PanelProps, PermissionTarget } from './resource-view.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { usePages } from '../../session/use-pages.js'
import { sendJson } from '../send.js'
import { accessPage } from '../../resources/access-kinds.js'

const LEVELS = ['read', 'write'] as const

/** The tokens, roles and binding rules that have a permission on a resource. */
const PermissionHolders = ({
  resource,
  segment,
  tenancy
}: PermissionTarget & { readonly tenancy: TenancyQuery }) => {
  const [access, setAccess] = useState('')
  const path = access === '' ? undefined : '/v1/acl/who'
  const { rows, isLoading, failure, more } = usePages<Schemas['PermissionHolder']>(path, {
    resource,
    segment,
    access,
    ...tenancy
  })
  return (
    <Section title="Who has a permission">
      <Select label="Who can" options={[['', 'choose …'], ...LEVELS]} value={access} change={setAccess} />
      <Refusal text={failure} />
      {isLoading && <p role="status">Loading …</p>}
      {path !== undefined && !isLoading && failure === undefined && (
        <Table
          label={`Who can ${access} this`}
          head={['Kind', 'Name', 'Namespace', 'Rule', 'From', 'Selector']}
          none="Nothing has this permission."
          rows={rows.map(holder => [
            holder.Kind,
            <a href={accessPage(holder)}>{holder.Name ?? holder.ID}</a>,
            holder.Namespace,
            holder.Rule ? `${holder.Rule.Text} ${holder.Rule.Level}` : 'default policy',
            holder.Source && <SourceLink source={holder.Source} />,
            holder.Selector
          ])}
        />
      )}
      {more && <Button label="Load more" act={more} />}
    </Section>
  )
}

const MAX_TOKENS = 500

interface Props extends PanelProps {
  readonly target: PermissionTarget
}

export const PermissionsTab = ({ target: { resource, segment }, place }: Props) => {
  const [accessor, setAccessor] = useState<string>()
  const tenancy = { Namespace: place.ns, Partition: place.partition }
  const { value: tokens, failure: hidden } = useResponse<readonly Schemas['Token'][]>('/v1/acl/tokens', {
    ns: '*',
    limit: MAX_TOKENS
  })
  const options = useMemo(
    () =>
      (tokens ?? []).map(({ AccessorID, Description }) => ({
        value: AccessorID,
        label: Description || AccessorID,
        hint: AccessorID.slice(0, 8)
      })),
    [tokens]
  )
  const explain = async (signal: AbortSignal): Promise<readonly Explained[]> => {
    if (accessor === undefined) return []
    const asked = { AccessorID: accessor, Resource: resource, Segment: segment, ...tenancy }
    const explainLevel = (Access: string): Promise<Explained> =>
      sendJson('POST', EXPLAIN, { body: { ...asked, Access }, signal })
    return Promise.all(LEVELS.map(explainLevel))
  }
  const { value: explained = [], failure } = useResult(explain, [accessor, resource, segment])
  return (
    <>
      <Section title="Required permissions">
        {LEVELS.map(Access => (
          <p key={Access}>
            {Access === 'read' ? 'Read: ' : 'Write: '}
            <code>{smallestPolicy({ Resource: resource, Access, Segment: segment, ...tenancy })}</code>
          </p>
        ))}
      </Section>
      <PermissionHolders resource={resource} segment={segment} tenancy={place} />
      <Section title="Test a token">
        {hidden === undefined ? (
          <Combobox
            label="Token"
            placeholder="Description of a token …"
            options={options}
            choose={setAccessor}
          />
        ) : (
          <p class="quiet" title={hidden}>
            Testing other tokens requires acl:read.
          </p>
        )}
        <Refusal text={failure} />
        {explained.map((each, at) => (
          <div key={LEVELS[at]}>
            <h3>
              {options.find(({ value }) => value === accessor)?.label}: {LEVELS[at]}
            </h3>
            <Explanation explained={each} />
          </div>
        ))}
      </Section>
    </>
  )
}
