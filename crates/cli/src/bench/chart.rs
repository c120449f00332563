//! Curves as SVG: speeds over rates, and figures of papers beside what is measured here.

use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Curves over one pair of logarithmic axes.
pub struct Chart {
    /// Above the plot.
    pub title: String,
    /// What the horizontal and the vertical axis show.
    pub axes: [String; 2],
    /// Curves by name; their points have positive coordinates.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

impl Chart {
    /// Writes the plot.
    ///
    /// # Errors
    /// When there is nothing to draw, or the file cannot be written.
    pub fn draw(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let points = || self.curves.iter().flat_map(|(_, points)| points);
        if points().next().is_none() {
            return Err("there is no number to draw".into());
        }
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (left, right) = bounds(&mut points().map(|point| point.0));
        let (low, high) = bounds(&mut points().map(|point| point.1));
        let area = SVGBackend::new(path, (900, 560)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(
                (left..right.max(left * 1.01)).log_scale(),
                (low / 1.5..high * 1.5).log_scale(),
            )?;
        chart
            .configure_mesh()
            .x_desc(&*self.axes[0])
            .y_desc(&*self.axes[1])
            .y_label_formatter(&|value| super::result::short(*value))
            .draw()?;
        for (index, (name, points)) in self.curves.iter().enumerate() {
            let color = Palette99::pick(index).to_rgba();
            let line = LineSeries::new(points.clone(), color.stroke_width(2)).point_size(3);
            chart.draw_series(line)?.label(name).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2))
            });
        }
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
        area.present()?;
        Ok(())
    }
}
