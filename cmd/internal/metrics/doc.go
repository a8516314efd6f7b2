// Package metrics counts the work of a running stage, for Prometheus.
//
// The stage itself does not depend on Prometheus: it calls [stream.Hooks], and [New] makes hooks
// that count. All metrics are in a registry of their own, so that two stages in one process do not
// mix.
//
//	unfold_messages_read_total                messages that could be decoded, by format
//	unfold_events_read_total                  events read
//	unfold_events_placed_total                events placed
//	unfold_messages_delivered_total           messages acknowledged by the sink
//	unfold_messages_split_total               messages whose output came in parts
//	unfold_messages_dead_lettered_total       messages that could not be read or placed, by stage
//	unfold_lag_messages                       messages not yet delivered, by topic and partition
//	unfold_committed_offset                   the group's committed offset, by topic and partition
//	unfold_place_seconds                      time to place one batch (histogram)
//	unfold_delivery_seconds                   time from fetched to acknowledged (histogram)
//	unfold_refresh_seconds                    time to learn a map (histogram)
//	unfold_refresh_failures_total             maps that could not be learnt
//	unfold_events_lost_total                  messages deleted before they were read
//	unfold_offset_gaps_total                  committed offsets that were outside of the topic
//	unfold_retries_total                      writes and commits that were retried, by op
//	unfold_snapshot_version, unfold_map_epoch which map events are placed on
//	unfold_snapshot_age_seconds               how old that map is
//	unfold_snapshot_points                    reference points it holds
//	unfold_refreshes_total                    maps learnt, by kind
//	unfold_map_moves_ratio, unfold_map_drift_ratio
//	                                          how far points moved, and are from where the epoch began, by quantile
//	unfold_map_loglik_per_pair, unfold_map_diameter
//	                                          of the newest map
//	unfold_map_novel_ratio, unfold_map_alarm_refreshes
//	                                          how novel the last new points were
//	unfold_map_label_error_ratio              share of wrong votes on labelled events, before they were learnt
//	unfold_reference_total                    events and points of the reference set, by op
//	unfold_reference_oldest_seconds           age of its oldest point
//	unfold_drift_level, unfold_drift_bound    how unlike the newest events are the map's points, and what raises an alarm
//	unfold_drift_deviations                   what that is made of, by test
//	unfold_drift_window_events                newest events that are looked at together
//	unfold_drift_alarms_total                 times that the level rose above its bound
//	unfold_drift_events_total, unfold_drift_events_skipped_total
//	                                          events that were looked at, and that came too fast for it
//	unfold_labelled_events_total              events with a label
//	unfold_labelled_events_behind             those that the classifier has yet to learn from
//	unfold_classes                            classes that are predicted
//	unfold_class_training_seconds, unfold_class_training_sweeps
//	unfold_class_training_events, unfold_class_training_warm_events
//	unfold_class_training_negative            how the classifier was learnt, with the newest map
//	unfold_clusters, unfold_cluster_noise_ratio, unfold_cluster_seconds
//	unfold_cluster_births_total, unfold_cluster_deaths_total
//	                                          clusters of the map
//	unfold_moves_published_total              points published on the topic of moves
//	unfold_build_info                         version of the program
//
// Previous names and labels are served as well for one version (renamed.go).
package metrics
