// The mesh gateways of datacenters in answers.
import * as Type from 'typebox'
import { serviceHealth } from './catalog-answers.js'

/** What a datacenter tells of its mesh gateways. */
export const federationState = Type.Object(
  {
    Datacenter: Type.String({ examples: ['dc1'] }),
    MeshGateways: Type.Array(serviceHealth),
    UpdatedAt: Type.String({
      format: 'date-time',
      description: 'When the server saw that they had changed',
      examples: ['2024-05-01T12:00:00.000Z']
    }),
    CreateIndex: Type.Integer(),
    ModifyIndex: Type.Integer({
      description: 'Index, in the datacenter itself, of the last change of any of them'
    })
  },
  { $id: 'FederationState' }
)

/** Mesh gateways by datacenter. */
export const meshGateways = Type.Record(Type.String(), Type.Array(serviceHealth))
