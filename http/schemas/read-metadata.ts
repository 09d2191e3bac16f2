// What the servers of several datacenters tell each other.
import * as Type from 'typebox'
import { coord } from './coordinates.js'

/** What a server tells of its own datacenter. */
export const ownFacts = Type.Object(
  {
    Datacenter: Type.String({ examples: ['dc1'] }),
    Node: Type.String({ description: 'Name of the server that answers', examples: ['server-1'] }),
    Coord: coord,
    Servers: Type.Array(
      Type.Object({
        ID: Type.String({ description: 'ID of its node' }),
        Node: Type.String(),
        Address: Type.String({ description: 'Where it listens' }),
        IsLive: Type.Boolean({ description: 'Whether the others hear of it' })
      }),
      {
        examples: [
          [
            {
              ID: '5ec51e41-9583-2bf5-eed4-3bfcbffede4f',
              Node: 'server-1',
              Address: '10.0.0.1',
              IsLive: true
            }
          ]
        ]
      }
    )
  },
  { $id: 'OwnDatacenter' }
)
