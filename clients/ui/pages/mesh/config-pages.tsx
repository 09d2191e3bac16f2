import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { config } from '../../resources/kinds.js'
import { textIn, resourcePage } from '../../resources/kind.js'
import { Breadcrumbs, Field, Heading, Select } from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { ResourceListPage } from '../resource-list-page.js'
import { useRoute } from '../../session/use-response.js'
import { EntryForm } from './entry-form.js'

interface EntryKind {
  readonly kind: string
  readonly says: string
  /** The fixed name of entries of the kind; absent if the user chooses it. */
  readonly only?: string
  /** The initial fields of a new entry, without kind and name. */
  readonly begins: object
}

const entryKind = (kind: string, says: string, begins: object, only?: string): EntryKind => ({
  kind,
  says,
  begins,
  ...(only === undefined ? {} : { only })
})

const ENTRY_KINDS: readonly EntryKind[] = [
  entryKind('service-defaults', 'protocol and mode of a service', { Protocol: 'http' }),
  entryKind('service-resolver', 'which instances of a service are meant, and what takes their place', {
    DefaultSubset: 'v1',
    Subsets: { v1: { Filter: '"v1" in Service.Tags' } }
  }),
  entryKind('service-splitter', 'which share of requests goes where', {
    Splits: [{ Weight: 90 }, { Weight: 10, Service: 'other' }]
  }),
  entryKind('service-router', 'where requests go by path, headers, query and method', {
    Routes: [{ Match: { HTTP: { PathPrefix: '/' } }, Destination: { Service: 'other' } }]
  }),
  entryKind('service-intentions', 'who may connect to a service', {
    Sources: [{ Name: '*', Action: 'deny' }]
  }),
  entryKind(
    'proxy-defaults',
    'what counts for all services and proxies',
    { Config: { protocol: 'http' } },
    'global'
  ),
  entryKind(
    'mesh',
    'settings of the whole mesh',
    { TransparentProxy: { MeshDestinationsOnly: false } },
    'mesh'
  ),
  entryKind('ingress-gateway', 'which services are reached from outside', {
    Listeners: [{ Port: 8443, Protocol: 'http', Services: [{ Name: 'web' }] }]
  }),
  entryKind('terminating-gateway', 'which services outside are reached through a gateway', {
    Services: [{ Name: 'billing' }]
  }),
  entryKind(
    'exported-services',
    'which services other partitions may use',
    { Services: [{ Name: 'web', Consumers: [{ Partition: 'other' }] }] },
    'default'
  )
]

const skeletonOf = ({ kind, begins }: EntryKind, name: string): string =>
  JSON.stringify({ Kind: kind, Name: name, ...begins }, undefined, 2)

const pageOf = (text: string, ns: string, partition: string): string => {
  const entry: unknown = JSON.parse(text)
  const [kind, name] = ['Kind', 'Name'].map(field => textIn(entry, field))
  return resourcePage('config', { key: `${kind}/${name}`, ns, partition })
}

const kindOf = (name: string | undefined): EntryKind | undefined =>
  ENTRY_KINDS.find(({ kind }) => kind === name) ?? ENTRY_KINDS[0]

export const NewEntryPage = () => {
  const { query } = useLocation()
  const route = useRoute()
  const { ns, partition = 'default' } = useTenancy()
  const [kind, setKind] = useState(kindOf(query['kind']))
  const [chosenName, setName] = useState(query['name'] ?? 'web')
  if (!kind) return null
  // Entries with a fixed name are in the default namespace.
  const place = ns === '*' || kind.only !== undefined ? 'default' : ns
  const where = partition === '*' ? 'default' : partition
  const name = kind.only ?? chosenName
  return (
    <main class="mesh scrolled">
      <Breadcrumbs links={[['/ui/config', 'Configuration entries']]} />
      <Heading>Create configuration entry</Heading>
      <p class="choices">
        <Select
          label="Kind"
          options={ENTRY_KINDS.map(each => each.kind)}
          value={kind.kind}
          change={changed => setKind(kindOf(changed))}
        />
        <Field label="Name" readOnly={kind.only !== undefined} value={name} change={setName} />
        <span class="quiet">
          Defines {kind.says}, in namespace {place}.
        </span>
      </p>
      <EntryForm
        key={`${kind.kind} ${name}`}
        saved={{ text: skeletonOf(kind, name), index: 0 }}
        query={{ ns: place, partition: where }}
        stored={text => route(pageOf(text, place, where))}
      />
    </main>
  )
}

const ofKind = (kind: string): string => `Payload.ConfigEntry.Kind == ${JSON.stringify(kind)}`

export const ConfigPage = () => {
  const [kind, setKind] = useState('')
  const isAny = kind === ''
  return (
    <ResourceListPage
      kind={config}
      hasNew
      newQuery={isAny ? undefined : { kind }}
      filter={isAny ? undefined : ofKind(kind)}
    >
      <Select
        isLabelHidden
        label="Kind"
        options={[['', 'any kind'], ...ENTRY_KINDS.map(each => each.kind)]}
        value={kind}
        change={setKind}
      />
    </ResourceListPage>
  )
}
