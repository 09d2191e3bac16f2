// What makes a service a proxy.
import { added, given, ignored } from './shape/fields.js'
import { flag, free, integer, list, object, text } from './shape/forms.js'
import type { Stored } from './shape/types.js'

const meshGateway = object({ Mode: added(text, 'local, remote or none') }, 'MeshGateway')
const settings = added(free, 'Free settings', { filterable: false })

/** Where a proxy sends what it gets for one of its destinations. */
const upstream = object(
  {
    DestinationType: given(text, 'service or prepared_query'),
    DestinationNamespace: added(text, 'Namespace of the destination'),
    DestinationPartition: ignored(text, 'Partition of the destination; ignored'),
    DestinationName: given(text, 'What is reached'),
    Datacenter: given(text, 'Where it is'),
    LocalBindAddress: added(text, 'Address that the proxy listens on'),
    LocalBindPort: added(integer, 'Port that the proxy listens on'),
    LocalBindSocketPath: added(text, 'Socket that the proxy listens on'),
    LocalBindSocketMode: added(text, 'Mode of that socket'),
    Config: settings,
    MeshGateway: given(meshGateway, 'How other datacenters are reached'),
    CentrallyConfigured: ignored(flag, 'Ignored')
  },
  'Upstream'
)

const exposedPath = object(
  {
    ListenerPort: added(integer, 'Port that is exposed'),
    Path: added(text, 'Path that is exposed'),
    LocalPathPort: added(integer, 'Port of the service'),
    Protocol: added(text, 'http or http2'),
    ParsedFromCheck: added(flag, 'Whether it is that of a check')
  },
  'ExposedPath'
)

/** What is empty is left out, but for what a proxy always has. */
export const proxy = object(
  {
    DestinationServiceName: added(text, 'Service that the proxy stands for'),
    DestinationServiceID: added(text, 'Instance that the proxy stands for'),
    LocalServiceAddress: added(text, 'Where that instance listens'),
    LocalServicePort: added(integer, 'Where that instance listens'),
    LocalServiceSocketPath: added(text, 'Where that instance listens'),
    Mode: given(text, 'direct or transparent; the agent leaves it out where it is empty', {
      shown: 'as stored'
    }),
    Config: settings,
    Upstreams: added(list(upstream), 'Destinations of the proxy'),
    MeshGateway: given(meshGateway, 'How other datacenters are reached'),
    Expose: given(
      object({
        Checks: added(flag, 'Whether checks are exposed'),
        Paths: added(list(exposedPath), 'Paths that are reached without the proxy')
      }),
      'What is reached without the proxy'
    ),
    TransparentProxy: added(
      object({
        OutboundListenerPort: added(integer, 'Port that outgoing connections are sent to'),
        DialedDirectly: added(flag, 'Whether instances are reached without the proxy')
      }),
      'How a transparent proxy works'
    )
  },
  'Proxy'
)

export type Upstream = Stored<typeof upstream.fields>
export type ServiceProxy = Stored<typeof proxy.fields>
