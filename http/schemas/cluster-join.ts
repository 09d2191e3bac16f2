// The request by which a machine joins a cluster with a managed etcd, and its response.
import * as Type from 'typebox'
import { strict } from './strict.js'
import { sample, view } from './view.js'

const needed = (description: string, maxLength: number) =>
  Type.String({ description, minLength: 1, maxLength })

const MAX_NAME = 64
const MAX_URL = 80
const MAX_REQUEST = 4096

export const joinBody = strict(
  {
    ID: needed('ID of the join token', MAX_NAME),
    Secret: needed('Secret of the join token', MAX_URL),
    Name: needed('Node name of the machine', MAX_NAME),
    Host: needed('IP address by which the other machines reach it', MAX_NAME),
    PeerURL: needed('Where members of etcd reach its member', MAX_URL),
    Request: needed('PKCS #10 request for its certificate, in PEM', MAX_REQUEST)
  },
  {
    $id: 'JoinInput',
    examples: [
      {
        ID: '5ec51e410a1b2c3d',
        Secret: 'rY7…',
        Name: 'server-2',
        Host: '10.0.0.2',
        PeerURL: 'https://10.0.0.2:2380',
        Request: '-----BEGIN CERTIFICATE REQUEST-----…'
      }
    ]
  }
)

const MEMBERS = [{ name: 'server-1', peer: 'https://10.0.0.1:2380', client: 'https://10.0.0.1:2379' }]

export const joined = view('Joined', {
  Certificate: sample.text('-----BEGIN CERTIFICATE-----…', 'Certificate of the machine, in PEM'),
  EncryptionKey: sample.text('q0…=', '`encryption.key`'),
  ClusterSecret: sample.text('x1…=', '`cluster.secret`'),
  Datacenter: sample.text('dc1'),
  Prefix: sample.text('/annals', '`cluster.etcd.prefix`'),
  Quota: sample.integer(2_147_483_648, '`cluster.etcd.quota`'),
  Members: sample.of(
    MEMBERS,
    Type.Array(Type.Object({ name: Type.String(), peer: Type.String(), client: Type.String() }), {
      description: 'The voting members of etcd'
    })
  )
})
