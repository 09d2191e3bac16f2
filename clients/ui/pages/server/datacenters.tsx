// The datacenters that know each other: which is the primary, how far each is away, its servers, and how far it follows the primary.
import { Badge } from '../../parts/badge.js'
import { Refusal } from '../../parts/refusal.js'
import { Table } from '../../parts/table.js'
import { useAnswer } from '../../session/use-answer.js'
import { roundTrip, type Coordinate } from './coordinates.js'
import { LivePage } from './live-page.js'
import { usePagePulse } from './pulse.js'
import { Replication } from './replication.js'
import { Section } from './section.js'
import { useMeasures } from './use-measures.js'
import { secondsText } from './words.js'

interface Member {
  readonly Status: number
  readonly Tags: Readonly<Record<string, string>>
}

interface Located {
  readonly Datacenter: string
  readonly Coordinates: readonly { readonly Coord: Coordinate }[] | null
}

interface Configuration {
  readonly datacenter: string
  readonly primary_datacenter: string
  readonly datacenters: Readonly<Record<string, { readonly url?: string; readonly urls?: readonly string[] }>>
}

const ALIVE = 1

/** What is known of each, by all whom this token may ask. */
const useDatacenters = () => {
  const { turn } = usePagePulse()
  const names = useAnswer<readonly string[]>('/v1/catalog/datacenters', {}, turn)
  const members = useAnswer<readonly Member[]>('/v1/agent/members', { wan: 1 }, turn)
  const located = useAnswer<readonly Located[]>('/v1/coordinate/datacenters', {}, turn)
  const configuration = useAnswer<Configuration>('/v1/agent/configuration')
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
        {list && (
          <Table
            label="Datacenters"
            head={['Name', 'Role', 'Servers', 'Round trip', 'Its pages']}
            rows={list.map(each => [
              <>
                {each.name} {each.isHere && <Badge tone="plain">this one</Badge>}
              </>,
              each.role,
              <Servers key="servers" {...each} />,
              distanceTo(each),
              each.address && (
                <a href={`${each.address.replace(/\/+$/, '')}/ui/`} rel="noreferrer">
                  {each.address}
                </a>
              )
            ])}
            none="No datacenter is known."
          />
        )}
        {hidden !== undefined && (
          <>
            <p>Which of them is the primary, and where the pages of others are, is not shown:</p>
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
