// The cluster gets its ID once.
import test from 'ava'
import { clusterAggregate } from '../../actors/cluster.js'
import { command, given } from '../support/decision-spec.js'

const identify = (newId: string) => command('IdentifyCluster', { newId })

test('a cluster without an ID gets one', t => {
  given()
    .when(clusterAggregate, identify('a'))
    .gives(t, ['ClusterIdentified cluster', { Cluster: { ID: 'a' } }])
})

test('a cluster keeps the ID that it has', t => {
  const events = given().when(clusterAggregate, identify('a')).events()
  given(...events)
    .when(clusterAggregate, identify('b'))
    .gives(t)
})
