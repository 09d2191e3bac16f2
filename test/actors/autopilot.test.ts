import test from 'ava'
import { autopilotAggregate } from '../../actors/cluster.js'
import { autopilotEvents, type AutopilotSettings } from '../../events/cluster.js'
import type { Event } from '../../events/envelope.js'
import { command, given } from '../support/decision-spec.js'

const settings: AutopilotSettings = {
  CleanupDeadServers: false,
  LastContactThreshold: 500e6,
  MaxTrailingLogs: 500,
  MinQuorum: 3,
  ServerStabilizationTime: 20e9,
  RedundancyZoneTag: 'zone',
  DisableUpgradeMigration: true,
  UpgradeVersionTag: 'version'
}
const set = (cas?: number, changes: Partial<AutopilotSettings> = {}) =>
  command('SetAutopilot', { settings: { ...settings, ...changes }, cas })
const before: Event = {
  Topic: autopilotEvents.topic,
  Type: 'AutopilotUpserted',
  Key: 'autopilot',
  Namespace: '',
  Partition: 'default',
  FilterKeys: null,
  Payload: { Autopilot: { ...settings, CreateIndex: 1, ModifyIndex: 1 } }
}

test('what an operator sets is stored whole, and keeps the index of its making', t => {
  const stored = (changes: Partial<AutopilotSettings>, CreateIndex: number, ModifyIndex: number) =>
    [
      'AutopilotUpserted autopilot',
      { Autopilot: { ...settings, ...changes, CreateIndex, ModifyIndex } }
    ] as const
  given()
    .when(autopilotAggregate, set())
    .gives(t, stored({}, 1, 1))
  given()
    .when(autopilotAggregate, set(0))
    .gives(t, stored({}, 1, 1))
  given(before)
    .when(autopilotAggregate, set(1, { MinQuorum: 5 }))
    .gives(t, stored({ MinQuorum: 5 }, 1, 2))
})

test('nothing is stored that is stored already, or where the check-and-set does not hold', t => {
  given(before).when(autopilotAggregate, set()).gives(t)
  given(before)
    .when(autopilotAggregate, set(0, { MinQuorum: 5 }))
    .gives(t)
  given().when(autopilotAggregate, set(1)).gives(t)
})
