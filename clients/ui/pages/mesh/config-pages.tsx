import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { config } from '../../resources/kinds.js'
import { addressOfPage, textIn, resourcePage } from '../../resources/kind.js'
import { Breadcrumbs, CreateLink, Field, Guard, Heading, Select } from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { ResourceListPage } from '../resource-list-page.js'
import { useRoute } from '../../session/use-response.js'
import { EntryForm, permissionOf } from './entry-form.js'

/** What an entry of a kind defines, its initial fields without kind and name, and its name where that is fixed. */
type EntryKind = readonly [defines: string, fields: object, only?: string]

const FIRST = 'service-defaults'

const ENTRY_KINDS: Readonly<Record<string, EntryKind>> = {
  [FIRST]: ['protocol and mode of a service', { Protocol: 'http' }],
  'service-resolver': [
    'which instances of a service are meant, and what takes their place',
    { DefaultSubset: 'v1', Subsets: { v1: { Filter: '"v1" in Service.Tags' } } }
  ],
  'service-splitter': [
    'which share of requests goes where',
    { Splits: [{ Weight: 90 }, { Weight: 10, Service: 'other' }] }
  ],
  'service-router': [
    'where requests go by path, headers, query and method',
    { Routes: [{ Match: { HTTP: { PathPrefix: '/' } }, Destination: { Service: 'other' } }] }
  ],
  'service-intentions': ['who may connect to a service', { Sources: [{ Name: '*', Action: 'deny' }] }],
  'proxy-defaults': ['what counts for all services and proxies', { Config: { protocol: 'http' } }, 'global'],
  mesh: ['settings of the whole mesh', { TransparentProxy: { MeshDestinationsOnly: false } }, 'mesh'],
  'ingress-gateway': [
    'which services are reached from outside',
    { Listeners: [{ Port: 8443, Protocol: 'http', Services: [{ Name: 'web' }] }] }
  ],
  'terminating-gateway': [
    'which services outside are reached through a gateway',
    { Services: [{ Name: 'billing' }] }
  ],
  'exported-services': [
    'which services other partitions may use',
    { Services: [{ Name: 'web', Consumers: [{ Partition: 'other' }] }] },
    'default'
  ]
}

const pageOf = (text: string, ns: string, partition: string): string => {
  const entry: unknown = JSON.parse(text)
  const [kind, name] = ['Kind', 'Name'].map(field => textIn(entry, field))
  return resourcePage('config', { key: `${kind}/${name}`, ns, partition })
}

export const NewEntryPage = () => {
  const { query } = useLocation()
  const route = useRoute()
  const { ns, partition = 'default' } = useTenancy()
  const [kind, setKind] = useState(query['kind'] ?? FIRST)
  const [chosenName, setName] = useState(query['name'] ?? 'web')
  const [defines, fields, only] = ENTRY_KINDS[kind] ?? ['', {}]
  // Entries with a fixed name are in the default namespace.
  const place = ns === '*' || only !== undefined ? 'default' : ns
  const where = partition === '*' ? 'default' : partition
  const name = only ?? chosenName
  return (
    <main class="mesh scrolled">
      <Breadcrumbs links={[['/ui/config', 'Configuration entries']]} />
      <Heading>Create configuration entry</Heading>
      <p class="choices">
        <Select label="Kind" options={Object.keys(ENTRY_KINDS)} value={kind} change={setKind} />
        <Field label="Name" readOnly={only !== undefined} value={name} change={setName} />
        <span class="quiet">
          Defines {defines}, in namespace {place}.
        </span>
      </p>
      <Guard resource={permissionOf({ Kind: kind }).resource} place={{ ns: place, partition: where }}>
        <EntryForm
          key={`${kind} ${name}`}
          saved={{ text: JSON.stringify({ Kind: kind, Name: name, ...fields }, undefined, 2), index: 0 }}
          query={{ ns: place, partition: where }}
          stored={text => route(pageOf(text, place, where))}
        />
      </Guard>
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
      create={
        <CreateLink
          what={config.one}
          resource={isAny ? '' : permissionOf({ Kind: kind }).resource}
          to={addressOfPage('/ui/config/new', { kind })}
        />
      }
      filter={isAny ? undefined : ofKind(kind)}
    >
      <Select
        isLabelHidden
        label="Kind"
        options={[['', 'any kind'], ...Object.keys(ENTRY_KINDS)]}
        value={kind}
        change={setKind}
      />
    </ResourceListPage>
  )
}
