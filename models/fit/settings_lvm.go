package fit

import (
	"unfold/internal/setting"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
)

// supervised is the setting of kinds that learn by labels.
type supervised struct {
	Supervise float64 `key:"supervision" default:"0" help:"How much labels take part in learning, 0 to 1: a near neighbour with another label counts 1-S times as much as one with the same label or none. The place of a new row does not depend on its label. For student tails; with kind gplvm any S above 0 gives vectors and labels one latent space, in which the model also predicts classes." placeholder:"S"`
}

// latentSettings are those that only kind LVM has, of both its models.
type latentSettings struct {
	Tails     string         `key:"tails" after:"dims" default:"student" choices:"student,gaussian" help:"How the attraction of neighbours falls with distance: student has heavy tails and makes the better maps; gaussian is the model as published."`
	Frame     string         `key:"frame" after:"dims" common:"true" default:"auto" choices:"auto,none,pca,mds,geodesic" help:"Coarse map that learning starts from: it determines the large-scale shape, since places are held near it, ever less; pca is principal components; mds keeps distances; geodesic keeps distances along the data and unrolls a sheet. auto is geodesic for a curved sheet, else pca, from 100,000 rows on the map of a sample; with gaussian tails none."`
	FrameHold setting.Number `key:"frame-weight" after:"frame" default:"auto" help:"Weight of the frame in the last steps, relative to the attraction of neighbours; auto is 0.01 for a known map, else 0.0018, and less for many points." placeholder:"X"`
	Coarse    string         `key:"coarse" after:"neighbors" default:"auto" choices:"auto,map,shared,all,input" help:"How repulsion is computed without visiting every pair: by near and far cells of the map; by random points that 64 share; by all points, exactly; by landmarks in the input, for gaussian tails. auto is all below 2000 points, then map for up to 3 dimensions and shared for more."`
	Reach     setting.Number `key:"reach" default:"auto" help:"Rank of the furthest neighbour that attracts a point in addition to its nearest, weakly in the end; auto is seven times neighbors, and at most a tenth of the points; no more than neighbors means none. For student tails." placeholder:"K"`
	Scales    string         `key:"scales" default:"native" choices:"native,unit" help:"Length scales: native ones follow the distances of neighbours, unit are all the same."`
	Density   float64        `key:"density" default:"0" help:"Makes the density of the map follow the data's: distances to neighbours on the map are about those in the data to the power of X. 2 follows it closely; 0 does not enforce it. For student tails with native scales." placeholder:"X"`
	Supervise supervised     `key:""`
	Weight    setting.Number `key:"weight" default:"auto" help:"Weight of the repulsion of two points, relative to the attraction of neighbours; auto is 0.086, and more for fewer than about 4000 points." placeholder:"X"`
	Tail      setting.Number `key:"tail" default:"auto" help:"Shape of the student tails, the smaller the heavier; auto is half the dimensions, other values take many times as long." placeholder:"A"`
	Sigma     string         `key:"sigma" default:"own" choices:"own,shared" help:"With gaussian tails: learn a variance for each point, or one that all share."`
	Thorough  bool           `key:"thorough" common:"true" help:"Learn with more steps and more exactly: a little better, and takes several times as long."`
	Core      int            `key:"core" default:"1" help:"With gaussian tails: steps within which two points must reach each other to be similar (s)." placeholder:"S" min:"1"`
	Level     setting.Level  `key:"level" default:"auto" help:"With gaussian tails: how often dissimilar pairs are coarse-grained (l): 0 is exact; auto decides by the number of points." placeholder:"L"`
	Place     string         `key:"place" after:"threads" default:"auto" choices:"auto,robust,lle,median,em" help:"How kind lvm places new points: robust is the most likely place with student tails; lle is the same with neighbours weighted by the mixture that reconstructs the point; median is the median of the neighbours; em is for gaussian tails. auto is robust for up to 3 dimensions and lle for more, with gaussian tails median."`
}

// Apply implements Settings. The model that tails does not select checks that its own settings have
// their defaults.
func (f *latentSettings) Apply(g Given, s *Spec) {
	var o lvm.Options
	setChoice(&o.Tails, f.Tails)
	o.Student = student.Options{
		Tail: float64(f.Tail), Weight: float64(f.Weight), Thorough: f.Thorough, Reach: int(f.Reach), Density: f.Density,
		Supervision: f.Supervise.Supervise,
	}
	setChoice(&o.Student.Prior.Frame, f.Frame)
	o.Student.Prior.Schedule = prior.Ending(float64(f.FrameHold))
	setChoice(&o.Student.Coarse, f.Coarse)
	setChoice(&o.Student.Scales, f.Scales)
	o.Saul = saul.Options{
		Coarse: o.Student.Coarse, Core: f.Core, Level: saul.LevelOf(int(f.Level)), Prior: o.Student.Prior, Shared: f.Sigma == "shared",
	}
	setChoice(&o.Saul.Components, g.Components)
	s.LVM = o
}
