// Services that are reached through gateways, in answers (spec: state.md §6.1).
import * as Type from 'typebox'
import { shownIndexes, shownTenancy } from './shown.js'
import { flag, integer, text, texts } from './strict.js'

const named = Type.Object({ Name: Type.String(), ...shownTenancy })

/** A service that is reached through a gateway. */
export const gatewayService = Type.Object(
  {
    Gateway: named,
    Service: named,
    GatewayKind: Type.String({ description: 'ingress-gateway or terminating-gateway' }),
    Port: integer('Port of the listener'),
    Protocol: text('Protocol of the listener'),
    Hosts: texts('Hosts of the service at the listener'),
    CAFile: text('Of a terminating gateway'),
    CertFile: text('Of a terminating gateway'),
    KeyFile: text('Of a terminating gateway'),
    SNI: text('Of a terminating gateway'),
    FromWildcard: flag('Whether the entry names it as `*`'),
    ...shownIndexes
  },
  {
    $id: 'GatewayService',
    examples: [
      {
        Gateway: { Name: 'front' },
        Service: { Name: 'web' },
        GatewayKind: 'ingress-gateway',
        Port: 8443,
        Protocol: 'http',
        CreateIndex: 14,
        ModifyIndex: 14
      }
    ]
  }
)
