import {
  optionalWritable,
  writable,
  ignoredField,
  booleanType,
  jsonObjectType,
  integerType,
  listType,
  objectType,
  textType
} from './definition/fields.js'
import type { Stored } from './definition/types.js'

const meshGateway = objectType({ Mode: optionalWritable(textType, 'local, remote or none') }, 'MeshGateway')
const settings = optionalWritable(jsonObjectType, 'Free settings', { filterable: false })

const upstream = objectType(
  {
    DestinationType: writable(textType, 'service or prepared_query'),
    DestinationNamespace: optionalWritable(textType, 'Namespace of the destination'),
    DestinationPartition: ignoredField(textType, 'Partition of the destination; ignored'),
    DestinationName: writable(textType, 'What is reached'),
    Datacenter: writable(textType, 'Where it is'),
    LocalBindAddress: optionalWritable(textType, 'Address that the proxy listens on'),
    LocalBindPort: optionalWritable(integerType, 'Port that the proxy listens on'),
    LocalBindSocketPath: optionalWritable(textType, 'Socket that the proxy listens on'),
    LocalBindSocketMode: optionalWritable(textType, 'Mode of that socket'),
    Config: settings,
    MeshGateway: writable(meshGateway, 'How other datacenters are reached'),
    CentrallyConfigured: ignoredField(booleanType, 'Ignored')
  },
  'Upstream'
)

const exposedPath = objectType(
  {
    ListenerPort: optionalWritable(integerType, 'Port that is exposed'),
    Path: optionalWritable(textType, 'Path that is exposed'),
    LocalPathPort: optionalWritable(integerType, 'Port of the service'),
    Protocol: optionalWritable(textType, 'http or http2'),
    ParsedFromCheck: optionalWritable(booleanType, 'Whether it is that of a check')
  },
  'ExposedPath'
)

/** Omits empty fields, except for the ones that every proxy has. */
export const proxy = objectType(
  {
    DestinationServiceName: optionalWritable(textType, 'Service that the proxy stands for'),
    DestinationServiceID: optionalWritable(textType, 'Instance that the proxy stands for'),
    LocalServiceAddress: optionalWritable(textType, 'Where that instance listens'),
    LocalServicePort: optionalWritable(integerType, 'Where that instance listens'),
    LocalServiceSocketPath: optionalWritable(textType, 'Where that instance listens'),
    Mode: writable(textType, 'direct or transparent; the agent leaves it out where it is empty', {
      shown: 'as stored'
    }),
    Config: settings,
    Upstreams: optionalWritable(listType(upstream), 'Destinations of the proxy'),
    MeshGateway: writable(meshGateway, 'How other datacenters are reached'),
    Expose: writable(
      objectType({
        Checks: optionalWritable(booleanType, 'Whether checks are exposed'),
        Paths: optionalWritable(listType(exposedPath), 'Paths that are reached without the proxy')
      }),
      'What is reached without the proxy'
    ),
    TransparentProxy: optionalWritable(
      objectType({
        OutboundListenerPort: optionalWritable(integerType, 'Port that outgoing connections are sent to'),
        DialedDirectly: optionalWritable(booleanType, 'Whether instances are reached without the proxy')
      }),
      'How a transparent proxy works'
    )
  },
  'Proxy'
)

export type Upstream = Stored<typeof upstream.fields>
export type ServiceProxy = Stored<typeof proxy.fields>
