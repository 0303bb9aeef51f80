package store

// FollowedTables are the tables of which Unfollow forgets a network.
var FollowedTables = followedTables
