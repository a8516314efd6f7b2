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
	Supervise float64 `key:"supervision" default:"0" help:"How much labels take part in learning, 0 to 1: a near neighbour with another label counts 1-S of what one with the same label or none does. Where a new row is placed does not depend on its label. For student tails; with kind gplvm, above 0, vectors and labels have one latent space, in which the model also predicts classes, whatever S is." placeholder:"S"`
}

// latentSettings are those that only kind LVM has, of both its models.
type latentSettings struct {
	Tails     string         `key:"tails" after:"dims" default:"student" choices:"student,gaussian" help:"How the attraction of neighbours falls with distance: student has heavy tails and makes the better maps; gaussian is the model as published."`
	Frame     string         `key:"frame" after:"dims" common:"true" default:"auto" choices:"auto,none,pca,mds,geodesic" help:"What keeps the whole of a map in shape, a map known beforehand that places are held near, ever less: pca are principal components; mds are distances; geodesic are distances along the data, which unroll a sheet. auto is geodesic where the data are a curved sheet and else pca, of 100,000 rows and more the map of a sample of them; with gaussian tails none."`
	FrameHold setting.Number `key:"frame-weight" after:"frame" default:"auto" help:"Weight of holding places near the frame in the last steps, of drawing neighbours together being 1; auto is 0.01 for a map known beforehand, else 0.0018 and less for many points." placeholder:"X"`
	Coarse    string         `key:"coarse" after:"neighbors" default:"auto" choices:"auto,map,shared,anchors,all,input" help:"What points are held apart from, without visiting every pair: near and far cells of the map; random points that 64 share; random cells of the map; all points, exactly; landmarks in the input, which is for gaussian tails. auto is all below 2000 points, then map for up to 3 dimensions and shared for more."`
	Reach     setting.Number `key:"reach" default:"auto" help:"Rank of the furthest neighbour that a point is drawn to, ever less, beside its nearest; auto is seven times neighbors, and at most a tenth of the points; no more than neighbors means none. For student tails." placeholder:"K"`
	Scales    string         `key:"scales" default:"native" choices:"native,unit" help:"Length scales: native ones follow the distances of neighbours, unit are all the same."`
	Density   float64        `key:"density" default:"0" help:"Lets the density of the map follow the data's: distances to neighbours on the map are about those in the data to the power of X. 2 follows it closely; 0 leaves it to the neighbours. For student tails with native scales." placeholder:"X"`
	Supervise supervised     `key:""`
	Weight    setting.Number `key:"weight" default:"auto" help:"Weight of holding two points apart, of drawing neighbours together being 1; auto is 0.086, and more for fewer than some 4000 points." placeholder:"X"`
	Tail      setting.Number `key:"tail" default:"auto" help:"Shape of the student tails, the smaller the heavier; auto is half the dimensions, any other takes many times as long." placeholder:"A"`
	Sigma     string         `key:"sigma" default:"own" choices:"own,shared" help:"With gaussian tails: learn a variance for each point, or one that all share."`
	Thorough  bool           `key:"thorough" common:"true" help:"Learn with more steps and more exactly: a little better, and takes several times as long."`
	Core      int            `key:"core" default:"1" help:"With gaussian tails: steps within which two points must reach each other to be similar (s)." placeholder:"S" min:"1"`
	Level     setting.Level  `key:"level" default:"auto" help:"With gaussian tails: how often dissimilar pairs are coarse-grained (l): 0 is exact; auto goes by the number of points." placeholder:"L"`
	Place     string         `key:"place" after:"threads" default:"auto" choices:"auto,robust,lle,median,em" help:"How new points are placed by kind lvm: robust is where the model with student tails finds them most likely; lle is the same with neighbours weighted by how the point is a mixture of them; median is the median of the neighbours; em is for gaussian tails. auto is robust for up to 3 dimensions and lle for more, with gaussian tails median."`
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
