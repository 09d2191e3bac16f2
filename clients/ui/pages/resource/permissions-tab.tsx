// The permissions that a resource requires, and a test of any token against them.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Combobox, Refusal, Section } from '../../design/index.js'
import { useAction } from '../../session/use-action.js'
import { useResponse } from '../../session/use-response.js'
import { tenancyQueryOf } from '../../session/tenancy.js'
import { Explanation, smallestPolicy, type Explained } from '../access/explanation.js'
import type { Token } from '../access/forms/acl-resources.js'
import { PermissionHolders } from '../access/permission-holders.js'
import { send } from '../send.js'
import type { PanelProps, PermissionTarget } from './resource-view.js'

const MAX_TOKENS = 500
const LEVELS = ['read', 'write'] as const

interface Props extends PanelProps {
  readonly target: PermissionTarget
}

export const PermissionsTab = ({ target: { resource, segment }, named: { ns, partition } }: Props) => {
  const [accessor, setAccessor] = useState<string>()
  const [explained, setExplained] = useState<readonly Explained[]>([])
  const { failure, run } = useAction()
  const tenancy = {
    ...(typeof ns === 'string' ? { Namespace: ns } : {}),
    ...(typeof partition === 'string' ? { Partition: partition } : {})
  }
  const { value: tokens, failure: hidden } = useResponse<readonly Token[]>('/v1/acl/tokens', {
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
  useEffect(() => {
    if (accessor === undefined) return
    run(async () => {
      const explain = async (Access: string): Promise<Explained> => {
        const body = { AccessorID: accessor, Access, Resource: resource, Segment: segment, ...tenancy }
        return (await send('POST', '/v1/acl/explain', { body })).json<Explained>()
      }
      setExplained(await Promise.all(LEVELS.map(explain)))
    })
  }, [accessor, resource, segment])
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
      <PermissionHolders resource={resource} segment={segment} tenancy={tenancyQueryOf({ ns, partition })} />
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
