import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, Facts, Notice, Refusal, Section, Table, RelativeTime } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import { LivePage, useLiveResponse, useMeasures } from './live-page.js'
import { secondsText, countText } from './formatters.js'
import { ZERO_TIME } from '../../../../events/time.js'

const timeOf = (at: string) => (at === ZERO_TIME ? 'never' : <RelativeTime at={at} isShort />)

/** Returns the newest commit of the primary datacenter; undefined without permission. */
const usePrimaryIndex = (datacenter: string | undefined): number | undefined => {
  const path = datacenter ? '/v1/operator/raft/configuration' : undefined
  const { value } = useLiveResponse<{ readonly Servers: readonly { readonly LastIndex: number }[] }>(path, {
    dc: datacenter
  })
  return value && Math.max(0, ...value.Servers.map(({ LastIndex }) => LastIndex))
}

/** Renders nothing for a datacenter without replication. */
const Replication = ({ datacenter }: { readonly datacenter: string }) => {
  const { value, failure } = useLiveResponse<Schemas['Replication']>('/v1/acl/replication', {
    dc: datacenter
  })
  const newest = usePrimaryIndex(value?.SourceDatacenter)
  if (value && !value.Enabled) return null
  return (
    <Section title={`Replication to ${datacenter}`} failure={failure}>
      {value && (
        <>
          <Facts
            facts={[
              [
                'State',
                <Badge tone={value.Running ? 'good' : 'bad'}>
                  {value.Running ? 'running' : 'not running'}
                </Badge>
              ],
              ['From', value.SourceDatacenter],
              ['Takes over', value.ReplicationType],
              ['Taken over up to commit', countText(value.ReplicatedIndex)],
              [
                'Commits behind',
                newest === undefined ? '' : countText(Math.max(0, newest - value.ReplicatedIndex))
              ],
              ['Last success', timeOf(value.LastSuccess)],
              ['Last failure', timeOf(value.LastError)]
            ]}
          />
          {value.LastErrorMessage !== '' && <Notice tone="warn">{value.LastErrorMessage}</Notice>}
        </>
      )}
    </Section>
  )
}

type Coordinate = Schemas['Coord']

/** Returns seconds. Adjustments that would make them negative are ignored. */
const roundTrip = (one: Coordinate, other: Coordinate): number => {
  const squares = one.Vec.map((place, axis) => (place - (other.Vec[axis] ?? 0)) ** 2)
  const raw = Math.sqrt(squares.reduce((sum, square) => sum + square, 0)) + one.Height + other.Height
  const adjusted = raw + one.Adjustment + other.Adjustment
  return adjusted > 0 ? adjusted : raw
}

type Member = Schemas['Member']

interface Configuration {
  readonly datacenter: string
  readonly primary_datacenter: string
  readonly datacenters: Readonly<Record<string, { readonly url?: string; readonly urls?: readonly string[] }>>
}

const ALIVE = 1

/** Combines the data that the token has permission to read. */
const useDatacenters = () => {
  const names = useLiveResponse<readonly string[]>('/v1/catalog/datacenters')
  const members = useLiveResponse<readonly Member[]>('/v1/agent/members', { wan: 1 })
  const located = useLiveResponse<readonly Schemas['DatacenterCoordinates'][]>('/v1/coordinate/datacenters')
  const configuration = useResponse<Configuration>('/v1/agent/configuration')
  const measured = useMeasures()
  const placeOf = (name: string): Coordinate | undefined =>
    located.value?.find(({ Datacenter }) => Datacenter === name)?.Coordinates?.[0]?.Coord
  const { datacenter, primary_datacenter: primary, datacenters = {} } = configuration.value ?? {}
  const here = datacenter === undefined ? undefined : placeOf(datacenter)
  return {
    failure: names.failure,
    hidden: configuration.failure,
    list: names.value?.map(name => {
      const place = placeOf(name)
      const servers = members.value?.filter(({ Tags }) => Tags['dc'] === name) ?? []
      const measure = measured.value?.find(
        each => each.name === 'annals_datacenter_round_trip_seconds' && each.labels['datacenter'] === name
      )
      return {
        name,
        isHere: name === datacenter,
        role: primary === undefined ? '' : name === primary ? 'primary' : 'secondary',
        servers: servers.length,
        alive: servers.filter(({ Status }) => Status === ALIVE).length,
        measured: measure?.value,
        estimated: here && place && name !== datacenter ? roundTrip(here, place) : undefined,
        address: datacenters[name]?.url ?? datacenters[name]?.urls?.[0]
      }
    })
  }
}

type Datacenter = NonNullable<ReturnType<typeof useDatacenters>['list']>[number]

const distanceTo = ({ isHere, measured, estimated }: Datacenter): string => {
  if (isHere) return ''
  if (measured !== undefined) return secondsText(measured)
  return estimated === undefined ? 'not known' : `about ${secondsText(estimated)}`
}

const Servers = ({ alive, servers }: Datacenter) => (
  <>
    {servers} {servers > 0 && <Badge tone={alive === servers ? 'good' : 'bad'}>{alive} alive</Badge>}
  </>
)

const Datacenters = () => {
  const { list, failure, hidden } = useDatacenters()
  return (
    <>
      <Section title="Known datacenters" failure={failure}>
        <Table
          label="Datacenters"
          head={['Name', 'Role', 'Servers', 'Round trip', 'Web UI']}
          rows={list?.map(each => [
            <>
              {each.name} {each.isHere && <Badge tone="plain">this one</Badge>}
            </>,
            each.role,
            <Servers {...each} />,
            distanceTo(each),
            each.address && (
              <a href={`${each.address.replace(/\/+$/, '')}/ui/`} rel="noreferrer">
                {each.address}
              </a>
            )
          ])}
          none="No datacenters are known."
        />
        {hidden !== undefined && (
          <>
            <p>The primary and the addresses of other UIs are hidden:</p>
            <Refusal text={hidden} />
          </>
        )}
      </Section>
      {list
        ?.filter(({ role }) => role !== 'primary')
        .map(({ name }) => (
          <Replication key={name} datacenter={name} />
        ))}
    </>
  )
}

export const DatacentersPage = () => (
  <LivePage title="Datacenters">
    <Datacenters />
  </LivePage>
)
